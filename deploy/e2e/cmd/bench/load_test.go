package main

import (
	"bytes"
	"context"
	"io"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/deploy/e2e/cmd/bench/canned"
)

// serve runs a role on a free port until the test ends.
func serve(t *testing.T, role func(context.Context, net.Listener) error) string {
	lis, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = role(t.Context(), lis)
	}()
	t.Cleanup(func() {
		_ = lis.Close()
		<-ended
	})
	return lis.Addr().String()
}

func runLoad(t *testing.T, address string, l load) outcome {
	g := &generator{address: address, path: "/v1", chat: "m", embed: "m"}
	defer g.close()
	o := g.run(t.Context(), l, 50*time.Millisecond)
	require.NoError(t, o.firstErr)
	require.NotEmpty(t, o.took)
	require.Equal(t, len(o.took), g.answered)
	return o
}

func TestEveryLoadIsAnswered(t *testing.T) {
	address := serve(t, canned.Serve)
	for _, l := range allLoads() {
		t.Run(l.name, func(t *testing.T) {
			require.Len(t, l.body("m"), l.bytes)
			o := runLoad(t, address, l)
			for _, took := range o.took {
				require.Positive(t, took.first)
				require.GreaterOrEqual(t, took.whole, took.first)
				if l.paced {
					require.GreaterOrEqual(t, took.whole, canned.ChunkCount*canned.ChunkPause)
				}
			}
		})
	}
}

func TestAVectorIsAsLongAsThoseOfModels(t *testing.T) {
	vector := canned.Vector()
	require.Equal(t, canned.Dimensions-1+4+2, bytes.Count(vector, []byte(",")))
	require.InDelta(t, 30<<10, len(vector), 2<<10)
}

func TestThePlainProxyForwards(t *testing.T) {
	runLoad(t, serve(t, forwardTo(serve(t, canned.Serve))), warmUp)
}

func TestNginxForwards(t *testing.T) {
	n, err := startNginx(t.Context(), serve(t, canned.Serve))
	require.NoError(t, err)
	defer n.stop()
	for _, l := range allLoads() {
		t.Run(l.name, func(t *testing.T) { runLoad(t, n.address, l) })
	}
	all, err := listProcesses()
	require.NoError(t, err)
	require.Len(t, all.processTree(n.pid()), 3, "a master and two workers")
}

func TestSelectByName(t *testing.T) {
	b, err := newBench([]string{"-peers", "auto,direct", "-loads", "big"})
	require.NoError(t, err)
	require.Equal(t, []string{nameDirect, nameAuto}, []string{b.peers[0].name, b.peers[1].name})
	require.Len(t, b.peers, 2)
	require.Len(t, b.loads, 1)
	require.Equal(t, loadBig, b.loads[0].name)
	b, err = newBench([]string{"-profile", "-loads", "none"})
	require.NoError(t, err)
	require.Equal(t, 1, b.rounds)
	require.ErrorContains(t, b.run(t.Context()), "nothing to measure")
}

func TestEverySubjectComesFirstOnce(t *testing.T) {
	a, b := &subject{}, &subject{}
	require.Same(t, a, rotate([]*subject{a, b}, 0)[0])
	require.Same(t, b, rotate([]*subject{a, b}, 1)[0])
	require.Len(t, rotate([]*subject{a, b}, 3), 2)
}

func TestNoteFailures(t *testing.T) {
	var out bytes.Buffer
	b := &bench{out: &out}
	o := outcome{failed: 2, took: make([]timing, 3), firstErr: io.ErrUnexpectedEOF}
	b.noteFailures(peer{name: "plain", mayFail: true}, warmUp, o)
	require.Empty(t, b.problems)
	require.Equal(t, "note: plain: warm-up: 2 of 5 requests failed, first: unexpected EOF\n", out.String())
	b.noteFailures(peer{name: "ours"}, warmUp, o)
	require.Len(t, b.problems, 1)
	b.noteFailures(peer{name: "ours"}, warmUp, outcome{})
	require.Len(t, b.problems, 1)
}

package compare

import (
	"bytes"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/deploy/e2e/cmd/bench/traffic"
)

func TestSelectByName(t *testing.T) {
	b, err := newBench(io.Discard, []string{"-peers", "auto,direct", "-loads", "big"})
	require.NoError(t, err)
	require.Equal(t, []string{nameDirect, nameAuto}, []string{b.peers[0].name, b.peers[1].name})
	require.Len(t, b.peers, 2)
	require.Len(t, b.loads, 1)
	require.Equal(t, traffic.LoadBig, b.loads[0].Name)
	b, err = newBench(io.Discard, []string{"-profile", "-loads", "none"})
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
	o := traffic.Outcome{Failed: 2, Took: make([]traffic.Timing, 3), FirstErr: io.ErrUnexpectedEOF}
	b.noteFailures(peer{name: "plain", mayFail: true}, traffic.WarmUp, o)
	require.Empty(t, b.problems)
	require.Equal(t, "note: plain: warm-up: 2 of 5 requests failed, first: unexpected EOF\n", out.String())
	b.noteFailures(peer{name: "ours"}, traffic.WarmUp, o)
	require.Len(t, b.problems, 1)
	b.noteFailures(peer{name: "ours"}, traffic.WarmUp, traffic.Outcome{})
	require.Len(t, b.problems, 1)
}

package traffic

import (
	"context"
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

func runLoad(t *testing.T, address string, l Load) Outcome {
	g := &Generator{Address: address, Path: "/v1", Chat: "m", Embed: "m"}
	defer g.Close()
	o := g.Run(t.Context(), l, 50*time.Millisecond)
	require.NoError(t, o.FirstErr)
	require.NotEmpty(t, o.Took)
	require.Equal(t, len(o.Took), g.answered)
	return o
}

func TestEveryLoadIsAnswered(t *testing.T) {
	address := serve(t, canned.Serve)
	for _, l := range Loads() {
		t.Run(l.Name, func(t *testing.T) {
			require.Len(t, l.Body("m"), l.Bytes)
			o := runLoad(t, address, l)
			for _, took := range o.Took {
				require.Positive(t, took.First)
				require.GreaterOrEqual(t, took.Whole, took.First)
				if l.Paced {
					require.GreaterOrEqual(t, took.Whole, canned.ChunkCount*canned.ChunkPause)
				}
			}
		})
	}
}

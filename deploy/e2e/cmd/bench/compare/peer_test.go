package compare

import (
	"context"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/deploy/e2e/cmd/bench/canned"
	"github.com/signalbox/signalbox/deploy/e2e/cmd/bench/rig"
	"github.com/signalbox/signalbox/deploy/e2e/cmd/bench/traffic"
	"github.com/signalbox/signalbox/deploy/e2e/procfs"
)

// serve runs a role on a free port until the test ends.
func servePeer(t *testing.T, role func(context.Context, net.Listener) error) string {
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

func putLoad(t *testing.T, address string, l traffic.Load) {
	g := &traffic.Generator{Address: address, Path: "/v1", Chat: "m", Embed: "m"}
	defer g.Close()
	o := g.Run(t.Context(), l, 50*time.Millisecond)
	require.NoError(t, o.FirstErr)
	require.NotEmpty(t, o.Took)
}

func TestThePlainProxyForwards(t *testing.T) {
	putLoad(t, servePeer(t, rig.ForwardTo(servePeer(t, canned.Serve))), traffic.WarmUp)
}

func TestNginxForwards(t *testing.T) {
	n, err := startNginx(t.Context(), servePeer(t, canned.Serve))
	require.NoError(t, err)
	defer n.Stop()
	for _, l := range traffic.Loads() {
		t.Run(l.Name, func(t *testing.T) { putLoad(t, n.Address, l) })
	}
	all, err := procfs.List()
	require.NoError(t, err)
	require.Len(t, all.Tree(n.PID()), 3, "a master and two workers")
}

package control

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/policy"
	"github.com/signalbox/signalbox/pkg/rpc"
	routerv1 "github.com/signalbox/signalbox/proto/signalbox/router/v1"
)

// ahead is a router that pushes the given snapshots and ends the stream at nil.
type ahead struct {
	stuck
	push chan *routerv1.PolicySnapshot
}

func (a ahead) WatchPolicy(_ *routerv1.WatchPolicyRequest, s grpc.ServerStreamingServer[routerv1.WatchPolicyResponse]) error {
	if err := s.Send(&routerv1.WatchPolicyResponse{}); err != nil {
		return err
	}
	for {
		select {
		case one := <-a.push:
			if one == nil {
				return errors.New("broken")
			}
			if err := s.Send(&routerv1.WatchPolicyResponse{Snapshot: one}); err != nil {
				return err
			}
		case <-s.Context().Done():
			return nil
		}
	}
}

// A snapshot that cannot be decoded, such as one of a newer version, leaves the previous policy
// active. The router counts as not up until a usable snapshot arrives.
func TestAProxyThatIsBehindSaysSo(t *testing.T) {
	cat, err := catalog.Load()
	require.NoError(t, err)
	p, err := policy.Compile([]byte("version: 1\nmodels: {sandbox-small: {}}\n"), cat)
	require.NoError(t, err)
	good := &routerv1.PolicySnapshot{Version: p.Version(), Compiled: p.Canonical()}
	later := &routerv1.PolicySnapshot{Version: "later", Compiled: []byte(`{"schema":2,"news":1}`)}

	mem, srv := rpc.NewMemory(), rpc.NewServer(rpc.ServerConfig{})
	a := ahead{push: make(chan *routerv1.PolicySnapshot)}
	routerv1.RegisterRouterServiceServer(srv.Registrar(), a)
	ctx, cancel := context.WithCancel(t.Context())
	ended, followed := make(chan error, 1), make(chan struct{})
	go func() { ended <- srv.Serve(ctx, mem.Listener()) }()
	conn, err := mem.Dial(rpc.ClientConfig{})
	require.NoError(t, err)
	client := routerv1.NewRouterServiceClient(conn)
	r := NewRouter(client, time.Second, slog.New(slog.DiscardHandler))
	go func() {
		r.Follow(ctx, func(_, _ *policy.Policy) error { return nil })
		close(followed)
	}()
	for _, step := range []struct {
		push *routerv1.PolicySnapshot
		up   bool
	}{{good, true}, {later, false}, {good, true}, {later, false}, {nil, true}} {
		a.push <- step.push
		require.Eventually(t, func() bool { return r.IsUp() == step.up }, 10*time.Second, time.Millisecond)
		require.Equal(t, p.Version(), r.Policy().Version())
	}
	cancel()
	<-followed
	require.NoError(t, conn.Close())
	require.NoError(t, <-ended)
}

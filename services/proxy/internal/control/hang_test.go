package control

import (
	"context"
	"log/slog"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/certs"
	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/pkg/decidewire"
	"github.com/signalbox/signalbox/pkg/lane"
	"github.com/signalbox/signalbox/pkg/policy"
	"github.com/signalbox/signalbox/pkg/rpc"
	routerv1 "github.com/signalbox/signalbox/proto/signalbox/router/v1"
)

// stuck is a router that opens the stream and reads nothing from it.
type stuck struct {
	routerv1.UnimplementedRouterServiceServer
}

func (stuck) DecideStream(s grpc.BidiStreamingServer[routerv1.DecideStreamRequest, routerv1.DecideStreamResponse]) error {
	<-s.Context().Done()
	return nil
}

// No request waits longer than the budget, even after a router that hangs has filled all buffers
// on the way.
func TestFullBuffersOfAHangingRouterDoNotBlock(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	for name, open := range map[string]OpenDecide{"gRPC": stuckStream(t, ctx), "lane": stuckLane(t, ctx)} {
		t.Run(name, func(t *testing.T) { askTheStuck(t, open) })
	}
}

func stuckStream(t *testing.T, ctx context.Context) OpenDecide {
	t.Helper()
	mem := rpc.NewMemory()
	srv := rpc.NewServer(rpc.ServerConfig{})
	routerv1.RegisterRouterServiceServer(srv.Registrar(), stuck{})
	serveUntil(t, ctx, srv, mem.Listener())
	conn, err := mem.Dial(rpc.ClientConfig{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, conn.Close()) })
	return OverGRPC(routerv1.NewRouterServiceClient(conn))
}

func stuckLane(t *testing.T, ctx context.Context) OpenDecide {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, certs.Write(dir, []string{certs.Router, certs.Proxy}, nil, time.Now()))
	load := func(role string) *certs.Identity {
		id, err := certs.Load(dir, role)
		require.NoError(t, err)
		return id
	}
	const method = routerv1.RouterService_DecideStream_FullMethodName
	srv := rpc.NewServer(rpc.ServerConfig{
		Identity: load(certs.Router), Allow: map[string][]string{method: {certs.Proxy}},
		Lanes: map[string]func() lane.Answer{method: func() lane.Answer {
			return func(string) (lane.Message, error) {
				<-ctx.Done()
				return nil, ctx.Err()
			}
		}},
	})
	lis, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	serveUntil(t, ctx, srv, lis)
	peer := rpc.ClientConfig{Identity: load(certs.Proxy), Peer: certs.Router}
	return func(ctx context.Context) (DecideStream, error) {
		return rpc.OpenLane(ctx, lis.Addr().String(), peer, method)
	}
}

func serveUntil(t *testing.T, ctx context.Context, srv *rpc.Server, lis net.Listener) {
	t.Helper()
	ended := make(chan error, 1)
	go func() { ended <- srv.Serve(ctx, lis) }()
	t.Cleanup(func() { require.NoError(t, <-ended) })
}

func askTheStuck(t *testing.T, open OpenDecide) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	d := newDecisions(open, slog.New(slog.DiscardHandler))
	followed := make(chan struct{})
	go func() {
		d.follow(ctx)
		close(followed)
	}()
	require.Eventually(t, d.isUp, 10*time.Second, time.Millisecond)

	asked := make(chan error, 1)
	go func() {
		for range 400 {
			q := &decidewire.Question{Question: decide.Question{Metadata: map[string]string{"a": strings.Repeat("x", 4096)}}, Excerpt: strings.Repeat("x", 4096)}
			if _, err := d.requestDecision(ctx, q, time.Millisecond); err == nil {
				t.Error("an answer from nobody")
			}
		}
		asked <- nil
	}()
	select {
	case <-asked:
	case <-time.After(10 * time.Second):
		t.Error("somebody waits without end")
	}
	cancel()
	<-followed
}

// A plan is used only if the active policy has its endpoints, because only the policy has their
// upstream names.
func TestAPlanOfAnotherVersionMustFit(t *testing.T) {
	cat, err := catalog.Load()
	require.NoError(t, err)
	p, err := policy.Compile([]byte(`version: 1
providers: {one: {kind: sandbox}, two: {kind: sandbox}}
models: {a: {endpoints: [{provider: one, model: x}]}, b: {endpoints: [{provider: two, model: y}]}}
`), cat)
	require.NoError(t, err)
	for target, want := range map[decide.Candidate]bool{
		{Model: "a", Provider: "one"}: true, {Model: "b", Provider: "two"}: true,
		{Model: "a", Provider: "two"}: false, {Model: "a"}: false, {Model: "c", Provider: "one"}: false, {Model: "a", Provider: "three"}: false,
	} {
		require.Equal(t, want, isKnownPlan(p, &decide.Decision{Plan: []decide.Candidate{target}}), target)
	}
	require.False(t, isKnownPlan(p, &decide.Decision{}))
}

package control

import (
	"context"
	"log/slog"
	"net"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/pkg/decidepb"
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

func stuckRouter(t *testing.T, ctx context.Context) routerv1.RouterServiceClient {
	t.Helper()
	mem := rpc.NewMemory()
	srv := rpc.NewServer(rpc.ServerConfig{})
	routerv1.RegisterRouterServiceServer(srv.Registrar(), stuck{})
	serveUntil(t, ctx, srv, mem.Listener())
	conn, err := mem.Dial(rpc.ClientConfig{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, conn.Close()) })
	return routerv1.NewRouterServiceClient(conn)
}

func serveUntil(t *testing.T, ctx context.Context, srv *rpc.Server, lis net.Listener) {
	t.Helper()
	ended := make(chan error, 1)
	go func() { ended <- srv.Serve(ctx, lis) }()
	t.Cleanup(func() { require.NoError(t, <-ended) })
}

// No request waits longer than the budget, even after a router that hangs has filled all buffers
// on the way.
func TestFullBuffersOfAHangingRouterDoNotBlock(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	d := newDecisionClient(stuckRouter(t, ctx), slog.New(slog.DiscardHandler))
	followed := make(chan struct{})
	go func() {
		d.follow(ctx)
		close(followed)
	}()
	require.Eventually(t, d.isUp, 10*time.Second, time.Millisecond)

	asked := make(chan error, 1)
	go func() {
		for range 400 {
			q := decidepb.StreamRequest{Question: &decide.Question{}, Text: plainText(strings.Repeat("x", 8<<10))}
			if _, err := d.requestDecision(ctx, encodeQuestion(&q), time.Millisecond); err == nil {
				t.Error("a router that reads nothing sent a response")
			}
		}
		asked <- nil
	}()
	select {
	case <-asked:
	case <-time.After(time.Minute): // 400 waits take long on a slow machine
		t.Error("a request waits without end")
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
		require.Equal(t, want, adoptPlan(p, &decide.Decision{Plan: []decide.Candidate{target}}), target)
	}
	require.False(t, adoptPlan(p, &decide.Decision{}))
}

// A session remembers the names of a plan. They must not keep the router's response in memory.
func TestAPlanHasTheNamesOfThePolicy(t *testing.T) {
	cat, err := catalog.Load()
	require.NoError(t, err)
	p, err := policy.Compile([]byte("version: 1\nproviders: {one: {kind: sandbox}}\nmodels: {a: {endpoints: [{provider: one, model: x}]}}\n"), cat)
	require.NoError(t, err)
	response := strings.Clone("a one low")
	d := &decide.Decision{Plan: []decide.Candidate{{Model: response[:1], Provider: response[2:5], Effort: response[6:]}}}
	require.True(t, adoptPlan(p, d))
	require.Equal(t, []decide.Candidate{{Model: "a", Provider: "one", Effort: "low"}}, d.Plan)
	require.NotSame(t, unsafe.StringData(response[:1]), unsafe.StringData(d.Plan[0].Model))
	require.NotSame(t, unsafe.StringData(response[2:5]), unsafe.StringData(d.Plan[0].Provider))
	require.NotSame(t, unsafe.StringData(response[6:]), unsafe.StringData(d.Plan[0].Effort))
}

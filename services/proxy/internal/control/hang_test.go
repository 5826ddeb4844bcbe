package control

import (
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/pkg/decidewire"
	"github.com/signalbox/signalbox/pkg/policy"
	"github.com/signalbox/signalbox/pkg/rpc"
	routerv1 "github.com/signalbox/signalbox/proto/signalbox/router/v1"
)

// stuck is a router that takes the stream and reads nothing from it.
type stuck struct {
	routerv1.UnimplementedRouterServiceServer
}

func (stuck) DecideStream(s grpc.BidiStreamingServer[routerv1.DecideStreamRequest, routerv1.DecideStreamResponse]) error {
	<-s.Context().Done()
	return nil
}

// Nobody waits for longer than the budget, however much a router that hangs has
// been sent before: the buffers on the way to it fill up.
func TestNobodyIsStuckInTheBuffersOfARouterThatHangs(t *testing.T) {
	mem, srv := rpc.NewMemory(), rpc.NewServer(rpc.ServerConfig{})
	routerv1.RegisterRouterServiceServer(srv.Registrar(), stuck{})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- srv.Serve(ctx, mem.Listener()) }()
	conn, err := mem.Dial(rpc.ClientConfig{})
	require.NoError(t, err)
	d := newDecisions(routerv1.NewRouterServiceClient(conn), slog.New(slog.DiscardHandler))
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
			if _, err := d.ask(ctx, q, time.Millisecond); err == nil {
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
	require.NoError(t, conn.Close())
	require.NoError(t, <-ended)
}

// A plan is only carried out where the policy held here has its places: what
// they are called there is not known otherwise.
func TestAPlanOfAnotherVersionMustFit(t *testing.T) {
	cat, err := catalog.Load()
	require.NoError(t, err)
	p, err := policy.Compile([]byte(`version: 1
providers: {one: {kind: sandbox}, two: {kind: sandbox}}
models: {a: {endpoints: [{provider: one, model: x}]}, b: {endpoints: [{provider: two, model: y}]}}
`), cat)
	require.NoError(t, err)
	for target, want := range map[decide.Target]bool{
		{Model: "a", Provider: "one"}: true, {Model: "b", Provider: "two"}: true,
		{Model: "a", Provider: "two"}: false, {Model: "a"}: false, {Model: "c", Provider: "one"}: false, {Model: "a", Provider: "three"}: false,
	} {
		require.Equal(t, want, known(p, &decide.Decision{Plan: []decide.Target{target}}), target)
	}
	require.False(t, known(p, &decide.Decision{}))
}

package control

import (
	"context"
	"log/slog"
	"net"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/pkg/policy"
	"github.com/signalbox/signalbox/pkg/rpc"
	routerv1 "github.com/signalbox/signalbox/proto/signalbox/router/v1"
)

// sleeper is a router that reads questions and responds only while it is awake.
type sleeper struct {
	routerv1.UnimplementedRouterServiceServer
	awake atomic.Bool
	asked atomic.Int64
}

func (r *sleeper) DecideStream(s grpc.BidiStreamingServer[routerv1.DecideStreamRequest, routerv1.DecideStreamResponse]) error {
	for {
		q, err := s.Recv()
		if err != nil {
			return nil //nolint:nilerr // the client is gone
		}
		r.asked.Add(1)
		if r.awake.Load() {
			_ = s.Send(&routerv1.DecideStreamResponse{Id: q.GetId()})
		}
	}
}

type noText struct{}

func (noText) AppendExcerpt(dst []byte, _ int) []byte { return dst }
func (noText) ConversationID() uint64                 { return 0 }

// After a few timeouts no request waits for the router. Probes go on until it responds again.
func TestNoRequestWaitsForALostRouter(t *testing.T) {
	cat, err := catalog.Load()
	require.NoError(t, err)
	p, err := policy.Compile([]byte("version: 1\nmodels: {sandbox-small: {}}\nroutes: {auto: {select: [{strategy: quality, candidates: [sandbox-small]}]}}\n"), cat)
	require.NoError(t, err)
	lis, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	srv, svc := rpc.NewServer(rpc.ServerConfig{}), &sleeper{}
	routerv1.RegisterRouterServiceServer(srv.Registrar(), svc)
	serveUntil(t, ctx, srv, lis)
	conn, err := rpc.Dial(lis.Addr().String(), rpc.ClientConfig{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, conn.Close()) })
	r := NewRouter(routerv1.NewRouterServiceClient(conn), 50*time.Millisecond, slog.New(slog.DiscardHandler))
	require.NoError(t, r.Adopt(p, func(_, _ *policy.Policy) error { return nil }))
	followed := make(chan struct{})
	go func() {
		r.decisions.follow(ctx)
		close(followed)
	}()
	t.Cleanup(func() {
		cancel()
		<-followed
	})
	require.Eventually(t, r.decisions.isUp, patience, time.Millisecond)

	plan := func() {
		planned := make(chan Plan, 1)
		go func() {
			decided, err := r.Plan(ctx, r.Policy(), decide.Question{Model: "auto", Kind: catalog.Chat}, noText{})
			if err != nil {
				t.Error(err)
			}
			planned <- decided
		}()
		select {
		case decided := <-planned:
			require.Equal(t, ReasonRouterUnavailable, decided.Reason.Code)
		case <-time.After(patience):
			require.Fail(t, "the request waits for the router")
		}
	}
	probeNow := func() {
		r.guard.mu.Lock()
		defer r.guard.mu.Unlock()
		r.guard.nextProbe = time.Time{}
	}
	for missed := range int64(maxMissed) {
		plan()
		require.Eventually(t, func() bool { return svc.asked.Load() == missed+1 }, patience, time.Millisecond, "the router reads every question")
	}
	require.True(t, r.guard.isLost())
	r.budget = time.Hour // a request that waits for the router now waits for the test's whole time
	before := svc.asked.Load()
	probeNow()
	began := time.Now()
	for range 10 {
		plan()
	}
	// One probe, and more of them if the machine is slow.
	most := before + 1 + int64(time.Since(began)/probePause)
	require.Eventually(t, func() bool { return svc.asked.Load() > before }, patience, time.Millisecond, "no probe")
	require.True(t, r.guard.isLost())
	svc.awake.Store(true)
	probeNow()
	plan()
	require.Eventually(t, func() bool { return !r.guard.isLost() }, patience, time.Millisecond, "the router responds again")
	require.LessOrEqual(t, svc.asked.Load(), most+1, "too many probes")
}

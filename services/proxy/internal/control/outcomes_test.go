package control

import (
	"context"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"

	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/pkg/rpc"
	routerv1 "github.com/signalbox/signalbox/proto/signalbox/router/v1"
	"github.com/signalbox/signalbox/services/proxy/internal/ledger"
)

// listener is a router that receives outcomes.
type listener struct {
	routerv1.UnimplementedRouterServiceServer
	got chan *routerv1.ReportOutcomesRequest
}

func (l *listener) ReportOutcomes(s grpc.ClientStreamingServer[routerv1.ReportOutcomesRequest, routerv1.ReportOutcomesResponse]) error {
	for {
		r, err := s.Recv()
		if err != nil {
			return err
		}
		l.got <- r
	}
}

func TestOutcomesAreThoseOfAttemptsThatWereMade(t *testing.T) {
	mem := rpc.NewMemory()
	srv := rpc.NewServer(rpc.ServerConfig{})
	l := &listener{got: make(chan *routerv1.ReportOutcomesRequest, 8)}
	routerv1.RegisterRouterServiceServer(srv.Registrar(), l)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- srv.Serve(ctx, mem.Listener()) }()
	conn, err := mem.Dial(rpc.ClientConfig{})
	require.NoError(t, err)
	o := NewOutcomes(routerv1.NewRouterServiceClient(conn), "proxy-1", nil, slog.New(slog.DiscardHandler))
	one, two := decide.Candidate{Model: "m", Provider: "one"}, decide.Candidate{Model: "m", Provider: "two"}
	o.Report(&ledger.Record{Time: time.Unix(100, 0), Attempts: []ledger.Attempt{
		{Candidate: one, Code: ledger.BreakerOpen},
		{Candidate: one, Code: "PROVIDER_AUTH_ERROR", Inconclusive: true},
		{Candidate: one, Code: "PROVIDER_TIMEOUT", Started: time.Second, Ended: 3 * time.Second},
		{Candidate: two, Started: 3 * time.Second, FirstToken: 3500 * time.Millisecond, Ended: 5 * time.Second},
	}})
	followed := make(chan struct{})
	go func() {
		o.Follow(ctx)
		close(followed)
	}()
	var got *routerv1.ReportOutcomesRequest
	select {
	case got = <-l.got:
	case <-time.After(patience):
		require.Fail(t, "no outcomes")
	}
	require.Equal(t, "proxy-1", got.GetProxy())
	require.Len(t, got.GetOutcomes(), 2)
	failed, served := got.GetOutcomes()[0], got.GetOutcomes()[1]
	require.Equal(t, "PROVIDER_TIMEOUT", failed.GetCode())
	require.Equal(t, int64(2_000_000), failed.GetLatencyUs())
	require.Zero(t, failed.GetFirstTokenUs())
	require.Equal(t, "two", served.GetCandidate().GetProvider())
	require.Equal(t, int64(500_000), served.GetFirstTokenUs(), "since the attempt began")
	require.Equal(t, int64(105), served.GetTime().GetSeconds())
	cancel()
	<-followed
	require.NoError(t, conn.Close())
	require.NoError(t, <-ended)
}

func TestOutcomesNeverWait(t *testing.T) {
	o := NewOutcomes(nil, "proxy-1", nil, slog.New(slog.DiscardHandler))
	for range 2 * maxOutcomes {
		o.Report(&ledger.Record{Attempts: make([]ledger.Attempt, 1)})
	}
	require.Len(t, o.queue, maxOutcomes, "what is too much is dropped")
}

// Outcomes that waited for an unavailable router are outdated when it is back.
func TestOldOutcomesAreDropped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := NewOutcomes(nil, "proxy-1", nil, slog.New(slog.DiscardHandler))
		o.Report(&ledger.Record{Attempts: []ledger.Attempt{{Code: "PROVIDER_TIMEOUT"}}})
		<-time.After(maxOutcomeAge + time.Millisecond)
		o.Report(&ledger.Record{Attempts: []ledger.Attempt{{}}})
		batch, err := o.nextBatch(t.Context(), nil)
		require.NoError(t, err)
		require.Len(t, batch, 1)
		require.Empty(t, batch[0].GetCode())
	})
}

// Outcomes are collected for a moment. If more are waiting than fit a message, they are sent at
// once.
func TestOutcomesGoInBatches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := NewOutcomes(nil, "proxy-1", nil, slog.New(slog.DiscardHandler))
		one := &ledger.Record{Attempts: make([]ledger.Attempt, 1)}
		for range 2*maxBatch + 1 {
			o.Report(one)
		}
		began := time.Now()
		for range 2 {
			batch, err := o.nextBatch(t.Context(), nil)
			require.NoError(t, err)
			require.Len(t, batch, maxBatch)
		}
		time.AfterFunc(batchInterval/2, func() { o.Report(one) })
		batch, err := o.nextBatch(t.Context(), nil)
		require.NoError(t, err)
		require.Len(t, batch, 2)
		require.Equal(t, batchInterval, time.Since(began), "full messages do not wait")
	})
}

// Every request reports its outcomes after its response, but before the next request of the same
// connection.
func TestReportingAllocatesNothing(t *testing.T) {
	o := NewOutcomes(nil, "proxy-1", nil, slog.New(slog.DiscardHandler))
	r := &ledger.Record{Time: time.Now(), Attempts: make([]ledger.Attempt, 2)}
	require.Zero(t, testing.AllocsPerRun(100, func() { o.Report(r) }))
}

package control

import (
	"context"
	"log/slog"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"

	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/pkg/decidepb"
	"github.com/signalbox/signalbox/pkg/rpc"
	routerv1 "github.com/signalbox/signalbox/proto/signalbox/router/v1"
)

type plainText string

func (t plainText) AppendExcerpt(dst []byte, _ int) []byte { return append(dst, t...) }

// echo is a router that responds with the model and the text of the question. It holds every eighth
// response back until seven later ones were sent.
type echo struct {
	routerv1.UnimplementedRouterServiceServer
}

func (echo) DecideStream(s grpc.BidiStreamingServer[routerv1.DecideStreamRequest, routerv1.DecideStreamResponse]) error {
	var held *routerv1.DecideStreamResponse
	for n := 1; ; n++ {
		r, err := s.Recv()
		if err != nil {
			return nil
		}
		q := r.GetRequest().GetQuestion()
		d := &routerv1.Decision{PolicyVersion: q.GetModel(), BaselineModel: q.GetExcerpt(), CatalogVersion: q.GetCaller().GetKeyId()}
		response := &routerv1.DecideStreamResponse{Id: r.GetId(), Result: &routerv1.DecideStreamResponse_Response{Response: &routerv1.DecideResponse{Decision: d}}}
		if n%8 == 1 {
			response, held = held, response
		}
		if response != nil {
			_ = s.Send(response)
		}
	}
}

// Concurrent requests share encoders, buffers and waiters one after the other. Each of them gets the
// response to its own question, also after another one gave up before its response arrived.
func TestConcurrentQuestionsAreNotMixedUp(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	memory, srv := rpc.NewMemory(), rpc.NewServer(rpc.ServerConfig{})
	routerv1.RegisterRouterServiceServer(srv.Registrar(), echo{})
	serveUntil(t, ctx, srv, memory.Listener())
	conn, err := memory.Dial(rpc.ClientConfig{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, conn.Close()) })
	d := newDecisionClient(routerv1.NewRouterServiceClient(conn), slog.New(slog.DiscardHandler))
	var running, clients sync.WaitGroup
	running.Go(func() { d.follow(ctx) })
	defer running.Wait()
	defer cancel()
	require.Eventually(t, d.isUp, 10*time.Second, time.Millisecond)
	for client := range 16 {
		clients.Go(func() { askMany(t, ctx, d, "client "+strconv.Itoa(client)) })
	}
	clients.Wait()
}

func askMany(t *testing.T, ctx context.Context, d *decisionClient, client string) {
	answered := 0
	for i := range 200 {
		name := client + ", question " + strconv.Itoa(i)
		text := plainText(name + strings.Repeat("x", i*10))
		q := encodeQuestion(&decidepb.StreamRequest{
			Question: &decide.Question{Model: name, Caller: decide.Caller{KeyID: name}}, Text: text,
		})
		budget := time.Second
		if i%4 == 0 {
			budget = time.Microsecond
		}
		got, err := d.requestDecision(ctx, q, budget)
		if err != nil {
			continue // every fourth does not wait long enough
		}
		answered++
		if got.PolicyVersion != name || got.Baseline != string(text) || got.CatalogVersion != name {
			t.Errorf("%s got the response to %s, %s", name, got.PolicyVersion, got.CatalogVersion)
		}
	}
	if answered == 0 {
		t.Error("no question got a response")
	}
}

// The next user of a waiter sets its timer, which must not be stopped afterwards.
func TestWaiterStopsItsTimer(t *testing.T) {
	w := newWaiter().(*waiter) //nolint:forcetypeassert // it returns nothing else
	w.response <- decidepb.StreamResponse{ID: 7}
	r, err := w.wait(t.Context(), time.Hour)
	require.NoError(t, err)
	require.EqualValues(t, 7, r.ID)
	require.False(t, w.timeout.Stop(), "wait has stopped it")

	_, err = w.wait(t.Context(), time.Nanosecond)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	close(w.response)
	_, err = w.wait(t.Context(), time.Hour)
	require.ErrorIs(t, err, errUnavailable)
}

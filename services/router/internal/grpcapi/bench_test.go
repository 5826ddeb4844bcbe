package grpcapi_test

import (
	"context"
	"io"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/pkg/decidepb"
	"github.com/signalbox/signalbox/pkg/sqldb"
	routerv1 "github.com/signalbox/signalbox/proto/signalbox/router/v1"
	"github.com/signalbox/signalbox/services/router/internal/engine"
	"github.com/signalbox/signalbox/services/router/internal/grpcapi"
	"github.com/signalbox/signalbox/services/router/internal/store"
)

const twoCandidates = `version: 1
models: {sandbox-small: {}, sandbox-large: {}}
routes:
  auto:
    select:
      - {when: {feature.code: {gte: 900}}, target: sandbox-large}
      - {strategy: cheapest, candidates: [sandbox-small, sandbox-large], min_quality: 0.7}
    on_failure: [sandbox-large]
`

// registrar captures the service that proxies call.
type registrar struct{ router routerv1.RouterServiceServer }

func (r *registrar) RegisterService(_ *grpc.ServiceDesc, service any) {
	if s, ok := service.(routerv1.RouterServiceServer); ok {
		r.router = s
	}
}

func serving(t testing.TB, document string) routerv1.RouterServiceServer {
	s, err := store.Open(context.Background(), sqldb.SQLiteURL(filepath.Join(t.TempDir(), "policy.db")))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	cat, err := catalog.Load()
	require.NoError(t, err)
	e, err := engine.Open(context.Background(), engine.Options{
		Store: s, Catalog: cat, Log: slog.New(slog.DiscardHandler), ReadFile: func(context.Context) ([]byte, error) { return []byte(document), nil },
	})
	require.NoError(t, err)
	r := &registrar{}
	grpcapi.Register(r, e, nil, grpcapi.NewDecisionTimes(nil))
	return r.router
}

// question returns what a proxy sends with 2 KB of text.
func question() *routerv1.DecideStreamRequest {
	used := int64(100)
	q := &decide.Question{
		Kind: catalog.Chat, Model: "auto", InputTokens: 500, Needs: []catalog.Capability{catalog.Tools},
		Features: decide.NamedValuesFromMap(map[string]int64{
			"images": 0, "max_output": 100, "messages": 2, "stream": 1, "text_bytes": 2021, "tools": 1, "turns": 1, "user_bytes": 2021,
		}),
		At: time.Date(2026, 11, 15, 9, 30, 0, 0, time.UTC), BudgetUsed: &used, Seed: 1 << 63,
		Caller: decide.Caller{AccountID: "account", KeyID: "key", Tags: []string{"eu", "legal"}},
	}
	return toRequest(1, q, strings.Repeat("Please explain how a railway signal box works. ", 43))
}

func toRequest(id uint64, q *decide.Question, excerpt string) *routerv1.DecideStreamRequest {
	return &routerv1.DecideStreamRequest{Id: id, Request: &routerv1.DecideRequest{Question: decidepb.FromQuestion(q, excerpt)}}
}

// questions is a stream without a network. It delivers the questions and collects the
// responses.
type questions struct {
	grpc.BidiStreamingServer[routerv1.DecideStreamRequest, routerv1.DecideStreamResponse]
	next      func() *routerv1.DecideStreamRequest
	responses []*routerv1.DecideStreamResponse
}

func (s *questions) Recv() (*routerv1.DecideStreamRequest, error) {
	if q := s.next(); q != nil {
		return q, nil
	}
	return nil, io.EOF
}

func (s *questions) Send(r *routerv1.DecideStreamResponse) error {
	s.responses = append(s.responses, r)
	return nil
}

// responses returns the responses of one stream to some questions.
func responses(t testing.TB, router routerv1.RouterServiceServer, all ...*routerv1.DecideStreamRequest) []*routerv1.DecideStreamResponse {
	s := &questions{next: func() (q *routerv1.DecideStreamRequest) {
		if len(all) > 0 {
			q, all = all[0], all[1:]
		}
		return q
	}}
	require.NoError(t, router.DecideStream(s))
	return s.responses
}

// The stream reuses the memory of a decision for the next one, without visible effects.
func TestQuestionsOfAStreamDoNotMeet(t *testing.T) {
	router := serving(t, twoCandidates)
	named := toRequest(2, &decide.Question{Kind: catalog.Chat, Model: "sandbox-large"}, "")
	rejected := toRequest(3, &decide.Question{
		Kind: catalog.Chat, Model: "auto", InputTokens: 1 << 40, Features: decide.NamedValues{{Name: "tools", Value: 3}}, Qualities: decide.NamedValues{{Name: "gone", Value: 5}},
	}, "")
	other := toRequest(4, &decide.Question{Kind: catalog.Chat, Model: "auto"}, "Fix `it`, please")
	unknown := &routerv1.DecideStreamRequest{Id: 5, Request: &routerv1.DecideRequest{Question: &routerv1.Question{Endpoint: 9}}}
	all := []*routerv1.DecideStreamRequest{question(), named, rejected, other, unknown, question(), rejected, other, named}
	got := responses(t, router, all...)
	require.Len(t, got, len(all))
	for i, q := range all {
		require.True(t, proto.Equal(responses(t, router, q)[0], got[i]), i)
		require.Equal(t, q.GetId(), got[i].GetId())
	}
	require.NotNil(t, got[2].GetRefusal().GetKnown(), "a rejected request has a decision for its record")
	require.Equal(t, "INVALID_REQUEST", got[4].GetRefusal().GetCode())
}

// BenchmarkQuestion measures the cost of a proxy's question without gRPC.
func BenchmarkQuestion(b *testing.B) {
	router, q := serving(b, twoCandidates), question()
	b.ReportAllocs()
	s := &questions{}
	s.next = func() *routerv1.DecideStreamRequest {
		s.responses = s.responses[:0]
		if b.Loop() {
			return q
		}
		return nil
	}
	require.NoError(b, router.DecideStream(s))
}

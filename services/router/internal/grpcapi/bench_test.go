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

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/pkg/decidewire"
	"github.com/signalbox/signalbox/pkg/rpc"
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
		Store: s, Catalog: cat, Log: slog.New(slog.DiscardHandler), ReadFile: func() ([]byte, error) { return []byte(document), nil },
	})
	require.NoError(t, err)
	r := &registrar{}
	grpcapi.Register(r, e)
	return r.router
}

// question is what a proxy sends with 2 KB of text.
func question() []byte {
	q := &decidewire.Question{ID: 1, Excerpt: strings.Repeat("Please explain how a railway signal box works. ", 43), Policy: strings.Repeat("0", 64)}
	used := int64(100)
	q.Kind, q.Model, q.InputTokens, q.Needs = catalog.Chat, "auto", 500, []catalog.Capability{catalog.Tools}
	q.Features = decide.NamedValuesFromMap(map[string]int64{
		"images": 0, "max_output": 100, "messages": 2, "stream": 1, "text_bytes": 2021, "tools": 1, "turns": 1, "user_bytes": 2021,
	})
	q.At, q.BudgetUsed, q.Seed = time.Date(2026, 11, 15, 9, 30, 0, 0, time.UTC), &used, 1<<63
	q.Caller.AccountID, q.Caller.KeyID, q.Caller.Tags = "account", "key", []string{"eu", "legal"}
	return q.AppendMessage(nil)
}

// questions is a stream without a network. It delivers the questions and accepts the
// responses.
type questions struct {
	grpc.BidiStreamingServer[routerv1.DecideStreamRequest, routerv1.DecideStreamResponse]
	next   func() []byte
	answer []byte
}

func (s *questions) RecvMsg(m any) error {
	text := s.next()
	if text == nil {
		return io.EOF
	}
	return m.(rpc.Message).ReadMessage(string(text)) //nolint:forcetypeassert // or the test fails
}

func (s *questions) SendMsg(m any) error {
	s.answer = m.(rpc.Message).AppendMessage(s.answer[:0]) //nolint:forcetypeassert // or the test fails
	return nil
}

// answers returns the responses of one stream to some questions.
func answers(t testing.TB, router routerv1.RouterServiceServer, all ...[]byte) []string {
	var got []string
	s := &questions{}
	s.next = func() (text []byte) {
		if len(s.answer) > 0 {
			got = append(got, string(s.answer))
		}
		if len(all) > 0 {
			text, all = all[0], all[1:]
		}
		return text
	}
	require.NoError(t, router.DecideStream(s))
	return got
}

// The memory of one question is reused for the next, without visible effects.
func TestQuestionsOfAStreamDoNotMeet(t *testing.T) {
	router := serving(t, twoCandidates)
	named := (&decidewire.Question{ID: 2, Question: decide.Question{Kind: catalog.Chat, Model: "sandbox-large"}}).AppendMessage(nil)
	refused := (&decidewire.Question{ID: 3, Question: decide.Question{
		Kind: catalog.Chat, Model: "auto", InputTokens: 1 << 40, Features: decide.NamedValues{{Name: "tools", Value: 3}}, Qualities: decide.NamedValues{{Name: "gone", Value: 5}},
	}}).AppendMessage(nil)
	other := (&decidewire.Question{ID: 4, Excerpt: "Fix `it`, please", Question: decide.Question{Kind: catalog.Chat, Model: "auto"}}).AppendMessage(nil)
	unknown := (&decidewire.Question{ID: 5}).AppendMessage(nil)
	all := [][]byte{question(), named, refused, other, unknown, question(), refused, other, named}
	got := answers(t, router, all...)
	require.Len(t, got, len(all))
	for i, text := range all {
		require.Equal(t, answers(t, router, text)[0], got[i], i)
	}
}

// A decision is made for every request, so it must allocate little: the message, the
// strings of the plan, and almost nothing else. The limit leaves room for pooled
// memory, which the garbage collector and the race detector free at random.
func TestAQuestionTakesLittleMemory(t *testing.T) {
	router, text := serving(t, twoCandidates), question()
	const many = 200
	asked := testing.AllocsPerRun(1, func() {
		left := many
		s := &questions{next: func() []byte {
			if left--; left < 0 {
				return nil
			}
			return text
		}}
		require.NoError(t, router.DecideStream(s))
	})
	require.Less(t, asked/many, 12.0)
}

// BenchmarkQuestion measures the cost of a proxy's question without gRPC.
func BenchmarkQuestion(b *testing.B) {
	router, text := serving(b, twoCandidates), question()
	b.ReportAllocs()
	s := &questions{next: func() []byte {
		if b.Loop() {
			return text
		}
		return nil
	}}
	require.NoError(b, router.DecideStream(s))
	require.NotEmpty(b, s.answer)
}

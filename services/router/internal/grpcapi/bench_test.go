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

// registrar takes the service that proxies ask.
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
	e, err := engine.Open(context.Background(), engine.Start{
		Store: s, Catalog: cat, Log: slog.New(slog.DiscardHandler), File: func() ([]byte, error) { return []byte(document), nil },
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
	q.Features = decide.NumbersOf(map[string]int64{
		"images": 0, "max_output": 100, "messages": 2, "stream": 1, "text_bytes": 2021, "tools": 1, "turns": 1, "user_bytes": 2021,
	})
	q.At, q.BudgetUsed, q.Seed = time.Date(2026, 11, 15, 9, 30, 0, 0, time.UTC), &used, 1<<63
	q.Asker.AccountID, q.Asker.KeyID, q.Asker.Tags = "account", "key", []string{"eu", "legal"}
	return q.AppendMessage(nil)
}

// questions is a stream without a network that brings each question as long as
// there is one, and takes its answer.
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

// BenchmarkQuestion is all that a question of a proxy costs here, but for gRPC.
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

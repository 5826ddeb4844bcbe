package decidepb_test

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/pkg/decidepb"
	routerv1 "github.com/signalbox/signalbox/proto/signalbox/router/v1"
)

func fullQuestion() *decide.Question {
	return &decide.Question{
		Kind: catalog.Embeddings, Model: "auto", Needs: []catalog.Capability{"tools", "vision"},
		InputTokens: 300, MaxOutputTokens: 7, Features: decide.NamedValues{{Name: "below", Value: -1}, {Name: "images"}, {Name: "turns", Value: 2}}, Seed: 1 << 63,
		At: time.Date(2026, 11, 15, 9, 30, 0, 0, time.UTC), BudgetUsed: new(int64), Metadata: map[string]string{"purpose": "batch", "empty": ""},
		Sticky: &decide.Candidate{Model: "small", Provider: "one"}, Qualities: decide.NamedValues{{Name: "small", Value: 700}}, Predictor: "priors-1",
		NativeProtocol: catalog.ProtocolMessages, NativeOnly: []string{"signature"}, Issuer: "one", MaxCost: decide.KnownInt(0), OwnEffort: true,
		Session: &decide.Session{
			Last: &decide.Candidate{Model: "small", Provider: "one"}, LastAt: 1763287200, Turns: 7, ToolLoop: true, SideCall: true, MarksCache: true,
			AddedTokens: 900, OutputTokens: 400, Cached: []decide.CachedPrefix{{Candidate: decide.Candidate{Model: "small", Provider: "one"}, Tokens: 5000, Expires: 1763287500}},
		},
		Caller: decide.Caller{
			AccountID: "account", KeyID: "key", Tags: []string{"eu", "legal"}, Models: []string{"auto", "small"},
			MaySwapModel: true, Baseline: "large",
		},
	}
}

func fullDecision() *decide.Decision {
	small, large := decide.Candidate{Model: "small", Provider: "one", Effort: "low"}, decide.Candidate{Model: "large", Provider: "two"}
	return &decide.Decision{
		Plan: []decide.Candidate{small, large}, HealthyFirst: large,
		Reason: decide.Reason{Code: "CHEAPEST", Text: "the cheapest", Rule: "r"}, PolicyControlled: true,
		Verdicts: []decide.Verdict{
			{Candidate: small, Code: "CHOSEN", Text: "chosen", PredictedCost: decide.KnownInt(0), SessionCost: decide.KnownInt(9), OutputTokens: 640, Latency: 120_000, Quality: 740, DownReason: "breaker open"},
			{Candidate: small, Code: "TOO_DEAR"},
		},
		Baseline: "large", PolicyVersion: "v", CatalogVersion: "c", EngineVersion: "e", Features: decide.NamedValues{{Name: "code", Value: 1}, {Name: "language", Value: -2}},
		Sticky: &large, Qualities: decide.NamedValues{{Name: "large", Value: 2}, {Name: "small", Value: 1}}, Predictor: "p",
	}
}

// requireAllSet fails if a field of the message is empty. A new field of the contract must be
// added to the samples and to the conversions.
func requireAllSet(t *testing.T, m proto.Message, except ...protoreflect.Name) {
	t.Helper()
	fields := m.ProtoReflect().Descriptor().Fields()
	for i := range fields.Len() {
		f := fields.Get(i)
		if len(except) > 0 && f.Name() == except[0] {
			continue
		}
		require.True(t, m.ProtoReflect().Has(f), f.FullName())
	}
}

func TestQuestionSurvivesTheWire(t *testing.T) {
	m := decidepb.FromQuestion(fullQuestion(), "text")
	requireAllSet(t, m, "conversation")
	requireAllSet(t, m.GetCaller())
	requireAllSet(t, m.GetSession())
	requireAllSet(t, m.GetSession().GetCached()[0])
	got, err := decidepb.ToQuestion(overTheWire(t, m, &routerv1.Question{}))
	require.NoError(t, err)
	require.Equal(t, *fullQuestion(), got)
	require.Equal(t, "text", m.GetExcerpt())
}

func TestEmptyQuestionSurvivesTheWire(t *testing.T) {
	q := &decide.Question{Kind: catalog.Chat}
	got, err := decidepb.ToQuestion(overTheWire(t, decidepb.FromQuestion(q, ""), &routerv1.Question{}))
	require.NoError(t, err)
	require.Empty(t, got.Needs)
	got.Needs = nil
	require.Equal(t, *q, got)
}

func TestDecisionSurvivesTheWire(t *testing.T) {
	m := decidepb.FromDecision(fullDecision())
	requireAllSet(t, m)
	requireAllSet(t, m.GetVerdicts()[0])
	requireAllSet(t, m.GetPlan()[0])
	require.Equal(t, fullDecision(), decidepb.ToDecision(overTheWire(t, m, &routerv1.Decision{})))
}

func TestRefusalSurvivesTheWire(t *testing.T) {
	want := apperr.New(apperr.PolicyDenied, "no").With("rule", "r")
	require.Equal(t, want, decidepb.ToRefusal(overTheWire(t, decidepb.FromRefusal(want), &routerv1.Refusal{})))
}

func TestUnknownErrorCodeIsNoRejection(t *testing.T) {
	err := decidepb.ToRefusal(&routerv1.Refusal{Code: "LATER"})
	require.Equal(t, apperr.Internal, apperr.CodeOf(err))
}

func TestUnknownEndpointIsRejected(t *testing.T) {
	_, err := decidepb.ToQuestion(&routerv1.Question{Endpoint: 9})
	require.True(t, apperr.Is(err, apperr.InvalidRequest))
}

func TestInvalidUTF8IsReplaced(t *testing.T) {
	q := &decide.Question{Model: "\xfe", Metadata: map[string]string{"a\xff": "b\xff"}}
	m := overTheWire(t, decidepb.FromQuestion(q, "a\xffb"), &routerv1.Question{})
	require.Equal(t, "a\uFFFDb", m.GetExcerpt())
	require.Equal(t, "\uFFFD", m.GetModel())
	require.Equal(t, map[string]string{"a\uFFFD": "b\uFFFD"}, m.GetMetadata())
}

func overTheWire[M proto.Message](t *testing.T, m, empty M) M {
	t.Helper()
	data, err := proto.Marshal(m)
	require.NoError(t, err)
	require.NoError(t, proto.Unmarshal(data, empty))
	return empty
}

// The benchmarks measure what a proxy pays for a decision of the router, without gRPC.
func BenchmarkQuestion(b *testing.B) {
	q := fullQuestion()
	text := strings.Repeat("Please explain how a railway signal box works. ", 43)
	b.ReportAllocs()
	for b.Loop() {
		data, err := proto.Marshal(decidepb.FromQuestion(q, text))
		if err != nil || len(data) == 0 {
			b.Fatal(err)
		}
	}
}

func BenchmarkDecision(b *testing.B) {
	d := fullDecision()
	for range 20 {
		d.Features = append(d.Features, decide.NamedValue{Name: "feature" + strconv.Itoa(len(d.Features)), Value: 7})
	}
	data, err := proto.Marshal(decidepb.FromDecision(d))
	require.NoError(b, err)
	b.ReportAllocs()
	for b.Loop() {
		var m routerv1.Decision
		if err := proto.Unmarshal(data, &m); err != nil {
			b.Fatal(err)
		}
		_ = decidepb.ToDecision(&m)
	}
}

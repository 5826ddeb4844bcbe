package decidepb_test

import (
	"math"
	"slices"
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

type excerpt string

func (e excerpt) AppendExcerpt(dst []byte, limit int) []byte {
	return append(dst, e[:min(len(e), limit)]...)
}

func encode(t *testing.T, e *decidepb.Encoder, r decidepb.StreamRequest) *routerv1.DecideStreamRequest {
	t.Helper()
	data, err := e.Encode(&r)
	require.NoError(t, err)
	m := new(routerv1.DecideStreamRequest)
	data = decidepb.AppendID(slices.Clone(data), math.MaxUint64)
	require.NoError(t, proto.Unmarshal(data, m))
	return m
}

// An encoder is reused, so a question must not contain anything of the one before.
func TestEncodedQuestionsHaveTheContentOfTheGeneratedMessages(t *testing.T) {
	var e decidepb.Encoder
	few := &decide.Question{Kind: catalog.Chat, Features: decide.NamedValues{{Name: "one", Value: 1}}}
	for _, q := range []*decide.Question{fullQuestion(), {Kind: catalog.Embeddings}, few, fullQuestion()} {
		for _, text := range []string{"text", "", strings.Repeat("long", 5000), "a\xffb"} {
			want := &routerv1.DecideRequest{Question: decidepb.FromQuestion(q, text), PolicyVersion: "v"}
			want.Question.Conversation = 7
			got := encode(t, &e, decidepb.StreamRequest{Question: q, PolicyVersion: "v", Conversation: 7, Text: excerpt(text), MaxExcerpt: 1 << 20})
			if q.Metadata != nil {
				requireAllSet(t, got.GetRequest())
			}
			require.EqualValues(t, uint64(math.MaxUint64), got.GetId())
			require.True(t, proto.Equal(want, got.GetRequest()), "%v\n%v", want, got)
		}
	}
	got := encode(t, &e, decidepb.StreamRequest{Question: &decide.Question{}, Text: excerpt("text"), MaxExcerpt: 3})
	require.Equal(t, "tex", got.GetRequest().GetQuestion().GetExcerpt())
	require.Empty(t, decidepb.AppendID(nil, math.MaxUint64)[decidepb.MaxIDBytes:])
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

// The proxy decodes responses by hand. The result must be that of the generated code.
func TestResponseByHandIsTheGeneratedOne(t *testing.T) {
	for _, d := range []*decide.Decision{fullDecision(), routedDecision(), {}} {
		m := responseWith(d)
		m.ProtoReflect().SetUnknown([]byte{0x78, 1, 0x7d, 1, 2, 3, 4, 0x79, 1, 2, 3, 4, 5, 6, 7, 8, 0x7a, 1, 9}) // field 15 of every type
		data, err := proto.Marshal(m)
		require.NoError(t, err)
		var got decidepb.StreamResponse
		require.NoError(t, got.Decode(string(data)))
		require.Equal(t, decidepb.StreamResponse{ID: 7, Decision: d}, got)
	}
}

// With any changed byte, the proxy reads what the generated code reads, or an error.
func TestDamagedResponseIsReadAsByTheGeneratedCode(t *testing.T) {
	data, err := proto.Marshal(responseWith(fullDecision()))
	require.NoError(t, err)
	for i, old := range data {
		for _, b := range []byte{0, 1, 0x7f, 0xff, old ^ 1, old + 8} {
			data[i] = b
			var m routerv1.DecideStreamResponse
			var got decidepb.StreamResponse
			want, err := proto.Unmarshal(data, &m), got.Decode(string(data))
			if want == nil && err == nil && m.GetRefusal() == nil {
				require.Equal(t, nilIfEmpty(decidepb.ToDecision(m.GetResponse().GetDecision())), nilIfEmpty(got.Decision), "byte %d is %d", i, b)
			}
			if want != nil && !strings.Contains(want.Error(), "UTF-8") {
				require.Error(t, err, "byte %d is %d: %v", i, b, want)
			}
		}
		data[i] = old
	}
}

// nilIfEmpty replaces empty lists, because the two decoders differ in them.
func nilIfEmpty(d *decide.Decision) *decide.Decision {
	d.Plan, d.Verdicts = append([]decide.Candidate(nil), d.Plan...), append([]decide.Verdict(nil), d.Verdicts...)
	return d
}

func TestRefusalByHandIsTheGeneratedOne(t *testing.T) {
	refusal := decidepb.FromRefusal(apperr.New(apperr.PolicyDenied, "no").With("rule", "r"))
	refusal.Known = decidepb.FromDecision(fullDecision())
	data, err := proto.Marshal(&routerv1.DecideStreamResponse{Id: 1, Result: &routerv1.DecideStreamResponse_Refusal{Refusal: refusal}})
	require.NoError(t, err)
	var got decidepb.StreamResponse
	require.NoError(t, got.Decode(string(data)))
	require.Equal(t, decidepb.StreamResponse{ID: 1, Decision: fullDecision(), Refusal: decidepb.ToRefusal(refusal)}, got)
}

// A response has one result. If it contains several, the last one counts.
func TestLastResultOfAResponseCounts(t *testing.T) {
	refusal, err := proto.Marshal(&routerv1.DecideStreamResponse{Id: 1, Result: &routerv1.DecideStreamResponse_Refusal{
		Refusal: &routerv1.Refusal{Message: "no", Known: decidepb.FromDecision(routedDecision())},
	}})
	require.NoError(t, err)
	response, err := proto.Marshal(responseWith(fullDecision()))
	require.NoError(t, err)
	var got decidepb.StreamResponse
	require.NoError(t, got.Decode(string(refusal)+string(response)))
	require.Equal(t, decidepb.StreamResponse{ID: 7, Decision: fullDecision()}, got)
	require.NoError(t, got.Decode(string(response)+string(refusal)))
	require.Error(t, got.Refusal)
	require.Equal(t, routedDecision(), got.Decision)
}

// A router need not sort named values, and a message can contain its decision in parts.
func TestNamedValuesOfAResponseAreSorted(t *testing.T) {
	var data []byte
	for _, values := range []decide.NamedValues{{{Name: "b", Value: 1}, {Name: "a", Value: 2}}, {{Name: "a", Value: 3}}} {
		part, err := proto.Marshal(responseWith(&decide.Decision{Features: values, Qualities: values}))
		require.NoError(t, err)
		data = append(data, part...)
	}
	var got decidepb.StreamResponse
	require.NoError(t, got.Decode(string(data)))
	want := decide.NamedValues{{Name: "a", Value: 3}, {Name: "b", Value: 1}}
	require.Equal(t, []decide.NamedValues{want, want}, []decide.NamedValues{got.Decision.Features, got.Decision.Qualities})
}

func TestDamagedResponseIsAnError(t *testing.T) {
	for name, damaged := range map[string]string{
		"length": "\x12\x05\x0a", "nested length": "\x12\x02\x0a\x7f", "group": "\x13\x14", "endless number": "\x08" + strings.Repeat("\xff", 11),
		"no value": "\x08", "short fixed64": "\x09\x01", "field 0": "\x00\x01", "field 2^29": "\x80\x80\x80\x80\x10\x01", "huge length": "\x12\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
	} {
		require.Error(t, new(decidepb.StreamResponse).Decode(damaged), name)
	}
}

// The benchmarks measure what a proxy pays for a decision of the router, without gRPC.
func BenchmarkQuestion(b *testing.B) {
	q := fullQuestion()
	text := strings.Repeat("Please explain how a railway signal box works. ", 43)
	b.Run("encoder", func(b *testing.B) {
		var e decidepb.Encoder
		b.ReportAllocs()
		for b.Loop() {
			data, err := e.Encode(&decidepb.StreamRequest{Question: q, Text: excerpt(text), MaxExcerpt: len(text)})
			if err != nil || len(data) == 0 {
				b.Fatal(err)
			}
		}
	})
	b.Run("new messages", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			m := decidepb.FromQuestion(q, strings.Clone(text))
			data, err := proto.Marshal(&routerv1.DecideStreamRequest{Request: &routerv1.DecideRequest{Question: m}})
			if err != nil || len(data) == 0 {
				b.Fatal(err)
			}
		}
	})
}

// routedDecision has as much content as the decision for a short chat between six candidates.
func routedDecision() *decide.Decision {
	d := fullDecision()
	d.Features, d.Qualities, d.Verdicts = nil, nil, nil
	for i := range 6 {
		model := "model-number-" + strconv.Itoa(i)
		d.Qualities = append(d.Qualities, decide.NamedValue{Name: model, Value: 700})
		d.Verdicts = append(d.Verdicts, decide.Verdict{
			Candidate: decide.Candidate{Model: model, Provider: "provider"}, Code: "FALLBACK", Text: "Number 2 of the plan, because the first one may fail",
			PredictedCost: decide.KnownInt(254_800), OutputTokens: 512, Quality: 700,
		})
	}
	for i := range 9 {
		d.Features = append(d.Features, decide.NamedValue{Name: "feature" + strconv.Itoa(i), Value: 7})
	}
	return d
}

func BenchmarkResponse(b *testing.B) {
	data, err := proto.Marshal(responseWith(routedDecision()))
	require.NoError(b, err)
	b.Run("by hand", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			var s decidepb.StreamResponse
			if err := s.Decode(string(data)); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("generated", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			var m routerv1.DecideStreamResponse
			if err := proto.Unmarshal(data, &m); err != nil {
				b.Fatal(err)
			}
			_ = decidepb.ToDecision(m.GetResponse().GetDecision())
		}
	})
}

func responseWith(d *decide.Decision) *routerv1.DecideStreamResponse {
	return &routerv1.DecideStreamResponse{Id: 7, Result: &routerv1.DecideStreamResponse_Response{
		Response: &routerv1.DecideResponse{Decision: decidepb.FromDecision(d)},
	}}
}

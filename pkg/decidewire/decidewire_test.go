package decidewire_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/pkg/decidewire"
	routerv1 "github.com/signalbox/signalbox/proto/signalbox/router/v1"
)

func fullQuestion() *decidewire.Question {
	return &decidewire.Question{
		ID: 1 << 63, Excerpt: strings.Repeat("text ", 1000), Policy: "v1", Conversation: 1 << 62,
		Question: decide.Question{
			Kind: catalog.Embeddings, Model: "auto", Needs: []catalog.Capability{"tools", "vision"},
			InputTokens: 300, MaxOutputTokens: 7, Features: decide.NamedValuesFromMap(map[string]int64{"below": -1, "images": 0, "turns": 2}), Seed: 1 << 63,
			At: time.Date(2026, 11, 15, 9, 30, 0, 0, time.UTC), BudgetUsed: new(int64), Metadata: map[string]string{"purpose": "batch", "empty": ""},
			Sticky: &decide.Candidate{Model: "small", Provider: "one"}, Qualities: decide.NamedValuesFromMap(map[string]int64{"small": 700}), Predictor: "priors-1",
			Caller: decide.Caller{
				AccountID: "account", KeyID: "key", Tags: []string{"eu", "legal"}, Models: []string{"auto", "small"},
				MaySwapModel: true, Baseline: "large",
			},
		},
	}
}

func protoQuestion() *routerv1.DecideStreamRequest {
	q := fullQuestion()
	return &routerv1.DecideStreamRequest{Id: q.ID, Request: &routerv1.DecideRequest{PolicyVersion: "v1", Question: &routerv1.Question{
		Endpoint: routerv1.Endpoint_ENDPOINT_EMBEDDINGS, Model: "auto", Needs: []string{"tools", "vision"},
		InputTokens: 300, MaxOutputTokens: 7, Features: q.Features.ToMap(), Excerpt: q.Excerpt, Seed: 1 << 63,
		At: q.At.Unix(), BudgetUsed: proto.Int64(0), Metadata: q.Metadata, Qualities: q.Qualities.ToMap(), Predictor: "priors-1", Conversation: 1 << 62,
		Sticky: &routerv1.Candidate{Model: "small", Provider: "one"},
		Caller: &routerv1.Caller{
			AccountId: "account", KeyId: "key", Tags: []string{"eu", "legal"}, Models: []string{"auto", "small"},
			MaySwapModel: true, BaselineModel: "large",
		},
	}}}
}

func fullAnswer() *decidewire.Answer {
	small, large := decide.Candidate{Model: "small", Provider: "one"}, decide.Candidate{Model: "large", Provider: "two"}
	return &decidewire.Answer{ID: 300, Decision: decide.Decision{
		Plan: []decide.Candidate{small, large}, HealthyFirst: large,
		Reason: decide.Reason{Code: "CHEAPEST", Text: "the cheapest", Rule: "r"}, PolicyControlled: true,
		Verdicts: []decide.Verdict{{Candidate: small, Code: "CHOSEN", Text: "chosen", PredictedCost: decide.KnownInt(0), Latency: 120_000, Quality: 740, DownReason: "breaker open"}, {Candidate: small, Code: "TOO_DEAR"}},
		Baseline: "large", PolicyVersion: "v", CatalogVersion: "c", EngineVersion: "e", Features: decide.NamedValuesFromMap(map[string]int64{"code": 1, "language": -2}),
		Sticky: &large, Qualities: decide.NamedValuesFromMap(map[string]int64{"large": 2, "small": 1}), Predictor: "p",
	}}
}

func protoAnswer() *routerv1.DecideStreamResponse {
	small, large := &routerv1.Candidate{Model: "small", Provider: "one"}, &routerv1.Candidate{Model: "large", Provider: "two"}
	d := &routerv1.Decision{
		Plan: []*routerv1.Candidate{small, large}, HealthyFirst: large,
		Reason: &routerv1.Reason{Code: "CHEAPEST", Text: "the cheapest", Rule: "r"}, PolicyControlled: true,
		Verdicts: []*routerv1.Verdict{
			{Candidate: small, Code: "CHOSEN", Text: "chosen", PredictedNanoUsd: proto.Int64(0), LatencyUs: 120_000, Quality: 740, Down: "breaker open"},
			{Candidate: small, Code: "TOO_DEAR"},
		},
		BaselineModel: "large", PolicyVersion: "v", CatalogVersion: "c", EngineVersion: "e",
		Features: map[string]int64{"code": 1, "language": -2},
		Sticky:   large, Qualities: map[string]int64{"small": 1, "large": 2}, Predictor: "p",
	}
	return &routerv1.DecideStreamResponse{Id: 300, Result: &routerv1.DecideStreamResponse_Response{Response: &routerv1.DecideResponse{Decision: d}}}
}

// message is both ways of writing and reading one.
type message interface {
	AppendMessage(dst []byte) []byte
	ReadMessage(message string) error
}

func same(t *testing.T, ours message, theirs proto.Message, empty message) {
	t.Helper()
	got := theirs.ProtoReflect().New().Interface()
	require.NoError(t, proto.Unmarshal(ours.AppendMessage(nil), got))
	require.True(t, proto.Equal(theirs, got), got)
	text, err := proto.Marshal(theirs)
	require.NoError(t, err)
	require.NoError(t, empty.ReadMessage(string(text)))
	require.Equal(t, ours, empty)
}

func TestMessagesAreThoseOfTheContract(t *testing.T) {
	same(t, fullQuestion(), protoQuestion(), &decidewire.Question{ID: 5, Policy: "of another"})
	same(t, fullAnswer(), protoAnswer(), &decidewire.Answer{ID: 5})
	same(t, &decidewire.Question{Question: decide.Question{Kind: catalog.Chat}},
		&routerv1.DecideStreamRequest{Request: &routerv1.DecideRequest{Question: &routerv1.Question{
			Endpoint: routerv1.Endpoint_ENDPOINT_CHAT, Caller: &routerv1.Caller{},
		}}}, &decidewire.Question{})
	same(t, &decidewire.Answer{Refusal: apperr.New(apperr.PolicyDenied, "no").With("rule", "r")},
		&routerv1.DecideStreamResponse{Result: &routerv1.DecideStreamResponse_Refusal{Refusal: &routerv1.Refusal{
			Code: "POLICY_DENIED", Message: "no", DetailsJson: `{"rule":"r"}`,
		}}}, &decidewire.Answer{})
	same(t, &decidewire.Answer{Refusal: apperr.New(apperr.PolicyDenied, "no").With("rule", "r"), Decision: fullAnswer().Decision},
		&routerv1.DecideStreamResponse{Result: &routerv1.DecideStreamResponse_Refusal{Refusal: &routerv1.Refusal{
			Code: "POLICY_DENIED", Message: "no", DetailsJson: `{"rule":"r"}`, Known: protoAnswer().GetResponse().GetDecision(),
		}}}, &decidewire.Answer{ID: 5})
}

func TestAMessageIsAppended(t *testing.T) {
	both := fullAnswer().AppendMessage([]byte("before"))
	require.Equal(t, "before", string(both[:6]))
	require.NoError(t, new(decidewire.Answer).ReadMessage(string(both[6:])))
}

func TestAnEndpointOfALaterVersionIsNoKind(t *testing.T) {
	text, err := proto.Marshal(&routerv1.DecideStreamRequest{Request: &routerv1.DecideRequest{Question: &routerv1.Question{Endpoint: 9}}})
	require.NoError(t, err)
	var q decidewire.Question
	require.NoError(t, q.ReadMessage(string(text)))
	require.Empty(t, q.Kind)
}

func TestACodeOfALaterVersionIsNoRefusal(t *testing.T) {
	text, err := proto.Marshal(&routerv1.DecideStreamResponse{Result: &routerv1.DecideStreamResponse_Refusal{Refusal: &routerv1.Refusal{Code: "LATER"}}})
	require.NoError(t, err)
	var a decidewire.Answer
	require.NoError(t, a.ReadMessage(string(text)))
	require.Error(t, a.Refusal)
	require.Equal(t, apperr.Internal, apperr.CodeOf(a.Refusal))
}

func TestWhatIsNoUTF8IsSentAllTheSame(t *testing.T) {
	q := &decidewire.Question{Excerpt: "a\xffb", Question: decide.Question{Model: "\xfe"}}
	var got routerv1.DecideStreamRequest
	require.NoError(t, proto.Unmarshal(q.AppendMessage(nil), &got))
	require.Equal(t, "a\uFFFDb", got.GetRequest().GetQuestion().GetExcerpt())
}

// What the generated code reads is read here, and nothing panics.
func FuzzReadMessage(f *testing.F) {
	f.Add(fullQuestion().AppendMessage(nil))
	f.Add(fullAnswer().AppendMessage(nil))
	f.Add(fullAnswer().AppendMessage(nil)[:50])
	f.Add([]byte("\x08\x01\x19\x01\x02\x03\x04\x05\x06\x07\x08\x1a\x04\x0a\x02no"))
	f.Add([]byte("\x12\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"))
	f.Add([]byte("\x0b\x08\x01\x0c\x08\x07"))
	f.Fuzz(func(t *testing.T, text []byte) {
		for theirs, ours := range map[proto.Message]message{
			&routerv1.DecideStreamRequest{}: new(decidewire.Question), &routerv1.DecideStreamResponse{}: new(decidewire.Answer),
		} {
			err := ours.ReadMessage(string(text))
			if proto.Unmarshal(text, theirs) == nil {
				require.NoError(t, err)
			}
		}
	})
}

// A proxy reads one for every request: lists and no more, each made once. The
// race detector makes some twice.
func TestAnAnswerTakesLittleMemory(t *testing.T) {
	text := string(fullAnswer().AppendMessage(nil))
	require.Less(t, testing.AllocsPerRun(100, func() { _ = new(decidewire.Answer).ReadMessage(text) }), 12.0)
}

// What was read before does not show in what is read next.
func TestAQuestionIsReadOverAnother(t *testing.T) {
	q := fullQuestion()
	require.NoError(t, q.ReadMessage(string((&decidewire.Question{ID: 2, Question: decide.Question{Model: "m"}}).AppendMessage(nil))))
	require.Equal(t, "m", q.Model)
	require.Empty(t, q.Needs)
	require.Empty(t, q.Features)
	require.Empty(t, q.Qualities)
	require.Empty(t, q.Caller.Tags)
	require.Empty(t, q.Caller.Models)
	require.Nil(t, q.BudgetUsed)
	require.Nil(t, q.Metadata)
	require.Nil(t, q.Sticky)
	require.NoError(t, q.ReadMessage(string(fullQuestion().AppendMessage(nil))))
	require.Equal(t, fullQuestion(), q)
}

func BenchmarkQuestion(b *testing.B) {
	q := fullQuestion()
	q.Excerpt = q.Excerpt[:2<<10]
	var text []byte
	b.ReportAllocs()
	for b.Loop() {
		text = q.AppendMessage(text[:0])
		if err := new(decidewire.Question).ReadMessage(string(text)); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkAnswer(b *testing.B) {
	a := fullAnswer()
	a.Decision.Features = nil
	var text []byte
	b.ReportAllocs()
	for b.Loop() {
		text = a.AppendMessage(text[:0])
		if err := new(decidewire.Answer).ReadMessage(string(text)); err != nil {
			b.Fatal(err)
		}
	}
}

package recordcodec_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/pkg/requestbody"
	recordv1 "github.com/signalbox/signalbox/proto/signalbox/record/v1"
	"github.com/signalbox/signalbox/services/proxy/internal/ledger"
	"github.com/signalbox/signalbox/services/proxy/internal/recordcodec"
)

func record() *ledger.Record {
	return &ledger.Record{ID: uuid.Must(uuid.NewV7()), Time: time.Now(), Outcome: ledger.OK, Route: decide.RouteFallback}
}

func appended(dst []byte, r *ledger.Record) []byte {
	c := recordcodec.Codec{}
	return c.AppendTail(c.AppendHead(dst, r), r)
}

func encoded(t *testing.T, r *ledger.Record) *recordv1.RequestRecord {
	t.Helper()
	b := appended(nil, r)
	var out recordv1.RequestRecord
	require.NoError(t, proto.Unmarshal(b, &out))
	return &out
}

// Input from clients must never make a record impossible to write or unlimited in size.
func TestStrangersTextsNeverHarmARecord(t *testing.T) {
	bad := "id \xff\xfe" + strings.Repeat("x", 1<<20)
	r := record()
	r.ClientRequestID, r.RequestedModel, r.Message, r.KeyName = bad, bad, bad, bad
	r.Attempts = []ledger.Attempt{{Candidate: decide.Candidate{Model: "m", Provider: "p"}, UpstreamID: bad}}
	out := encoded(t, r)
	for _, s := range []string{out.GetClientRequestId(), out.GetRequestedModel(), out.GetError(), out.GetKeyName(), out.GetAttempts()[0].GetUpstreamRequestId()} {
		require.Less(t, len(s), 4<<10)
		require.True(t, strings.HasPrefix(s, "id \uFFFD"))
	}
}

// The parts of a long request are one text in the record.
func TestAnExcerptIsOneText(t *testing.T) {
	r := full()
	r.Request, r.RequestEnd = []byte("begin"), bytes.Repeat([]byte("e"), 300)
	c := encoded(t, r).GetContent()
	require.Equal(t, "begin\n… 29695 bytes are not stored …\n"+strings.Repeat("e", 300), string(c.GetRequest()))
	require.EqualValues(t, 30_000, c.GetRequestBytes())
	require.Equal(t, "answer", string(c.GetResponse()))
}

func TestANoteBecomesAnAbortedRecord(t *testing.T) {
	r := record()
	r.Cost, r.CostParts = ledger.Known(7), catalog.Breakdown{Input: 7}
	r.BaselineCost, r.BaselineCostParts, r.BaselinePrice = ledger.Known(7), catalog.Breakdown{Input: 7}, catalog.Price{Input: 1}
	r.Served, r.Usage, r.Decision = decide.Candidate{Model: "m"}, catalog.Usage{Input: 1}, &decide.Decision{}
	note := appended(nil, r)
	made, err := recordcodec.AbortedRecord(note)
	require.NoError(t, err)
	var out recordv1.RequestRecord
	require.NoError(t, proto.Unmarshal(made, &out))
	require.Equal(t, recordv1.Outcome_OUTCOME_ABORTED, out.GetOutcome())
	require.Equal(t, r.ID[:], out.GetId())
	require.EqualValues(t, 7, out.GetCostNanoUsd())
	require.EqualValues(t, 7, out.GetCosts().GetInput())
	require.Zero(t, out.GetBaselineNanoUsd(), "the request was not served")
	require.True(t, proto.Equal(&recordv1.Costs{}, out.GetBaselineCosts()))
	require.Nil(t, out.BaselinePrice)
	for _, garbage := range [][]byte{nil, {0xff}, []byte("garbage")} {
		_, err := recordcodec.AbortedRecord(garbage)
		require.Error(t, err)
	}
}

func full() *ledger.Record {
	n := func(v int64) *int64 { return &v }
	r := record()
	r.ClientRequestID, r.ClientRetry, r.ClientAddress = "mine", 2, "192.0.2.7"
	r.AccountID, r.KeyID, r.KeyName = "acc", "key", "name"
	r.Kind, r.Stream, r.RequestedModel = catalog.Embeddings, true, "auto"
	r.Protocol, r.Agent = requestbody.Messages, "claude-code"
	r.Session, r.User, r.SideCall = "s-1", "u", true
	r.Budgets = []string{"b1", "b2/ada"}
	r.Rollout = &ledger.Rollout{ID: "ro", Stable: "p0", Candidate: "p1", Share: 1000}
	r.Served = decide.Candidate{Model: "m", Provider: "p", Effort: "low"}
	r.Status, r.Code, r.Message = 200, "CODE", "message"
	r.Usage = catalog.Usage{Input: 1, CacheRead: 2, CacheWrite: 3, CacheWrite1h: 2, Output: 4, Reasoning: 5}
	r.Cost, r.CostParts = ledger.Known(0), catalog.Breakdown{Input: 31, CacheRead: 32, CacheWrite: 33, Output: 34}
	r.BaselineCost, r.BaselineCostParts = ledger.Known(-9), catalog.Breakdown{Input: 41, CacheRead: 42, CacheWrite: 43, Output: 44}
	r.BaselinePrice = catalog.Price{Input: 51, CacheRead: 52, CacheWrite: 53, CacheWrite1h: 55, Output: 54, Effective: time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)}
	r.Latency, r.FirstToken, r.AuthTime, r.RoutingTime = 100*time.Microsecond, 20*time.Microsecond, 3*time.Microsecond, 4*time.Microsecond
	r.Attempts = []ledger.Attempt{
		{Candidate: decide.Candidate{Model: "a", Provider: "b"}, Status: 503, Code: "X", Started: time.Microsecond, FirstToken: 2 * time.Microsecond, Ended: 30 * time.Microsecond, UpstreamID: "up", Cost: ledger.Known(11), Dropped: []string{"store", "user"}, UsageDifference: -7, ReportedNanoUSD: n(0)},
		{Candidate: r.Served, Usage: &r.Usage, Unpriced: []string{"web_search", "speed"}},
		{
			Candidate: r.Served, Usage: &catalog.Usage{Output: 6}, Estimated: true, Cost: ledger.Known(12), CostParts: catalog.Breakdown{Output: 12},
			Price: catalog.Price{Input: 1, Output: 2, Effective: time.Unix(0, 0)},
		},
	}
	r.Decision = &decide.Decision{
		Reason: decide.Reason{Code: "C", Text: strings.Repeat("long ", 60), Rule: "rule"}, Baseline: "base",
		PolicyVersion: "pol", CatalogVersion: "cat", EngineVersion: "eng", Features: decide.NamedValuesFromMap(map[string]int64{"tools": 3, "zero": 0, "neg": -1}),
		Verdicts: []decide.Verdict{{Candidate: r.Served, Code: "CHOSEN", Text: "why", PredictedCost: decide.KnownInt(5), SessionCost: decide.KnownInt(8), OutputTokens: 9, Latency: 6, Quality: 7, DownReason: "d"}, {Code: "OTHER"}},
		Sticky:   &decide.Candidate{Model: "sm", Provider: "sp"}, Qualities: decide.NamedValuesFromMap(map[string]int64{"m": 700}), Predictor: "pred",
	}
	r.Question = &decide.Question{
		Needs: []catalog.Capability{"tools", "vision"}, InputTokens: 61, MaxOutputTokens: 62, BudgetUsed: n(0), Seed: 1 << 63,
		NativeProtocol: catalog.ProtocolMessages, NativeOnly: []string{"signature", "file_id"}, Issuer: "claude", MaxCost: decide.KnownInt(0), OwnEffort: true,
		Session: &decide.Session{
			Last: &decide.Candidate{Model: "lm", Provider: "lp"}, LastAt: 71, Turns: 72, ToolLoop: true, SideCall: true, MarksCache: true, AddedTokens: 73, OutputTokens: 74,
			Cached: []decide.CachedPrefix{{Candidate: decide.Candidate{Model: "cm", Provider: "cp"}, Tokens: 75, Expires: 76}},
		},
		At: time.Date(2026, 11, 15, 9, 30, 0, 0, time.UTC), Metadata: map[string]string{"purpose": "batch"},
		Caller: decide.Caller{Tags: []string{"eu"}, Models: []string{"auto", "m"}, MaySwapModel: true, Baseline: "kb"},
	}
	r.Capture = ledger.CaptureRedacted
	r.Request, r.Response, r.RequestLen, r.ResponseLen = bytes.Repeat([]byte("q"), 20_000), []byte("answer"), 30_000, 6
	return r
}

// The encoder uses field numbers. The generated code must read back every field, and the encoding
// must not depend on the bytes before it in the buffer.
func TestEveryFieldArrives(t *testing.T) {
	r := full()
	n := func(v int64) *int64 { return &v }
	want := &recordv1.RequestRecord{
		Schema: 1, Id: r.ID[:], ClientRequestId: "mine", AccountId: "acc", KeyId: "key", KeyName: "name",
		Time: timestamppb.New(r.Time), Endpoint: recordv1.Endpoint_ENDPOINT_EMBEDDINGS, Stream: true, RequestedModel: "auto",
		Model: "m", Provider: "p", Effort: "low", Route: recordv1.Route_ROUTE_FALLBACK,
		Reason:  &recordv1.Reason{Code: "C", Text: strings.Repeat("long ", 60), Rule: "rule"},
		Outcome: recordv1.Outcome_OUTCOME_OK, Status: 200, Code: "CODE", Error: "message",
		Tokens:      &recordv1.Tokens{Input: 1, CacheRead: 2, CacheWrite: 3, CacheWrite_1H: 2, Output: 4, Reasoning: 5},
		CostNanoUsd: n(0), CostBasis: recordv1.CostBasis_COST_BASIS_ESTIMATED, BaselineModel: "base", BaselineNanoUsd: n(-9),
		Capture: recordv1.Capture_CAPTURE_REDACTED, Costs: &recordv1.Costs{Input: 31, CacheRead: 32, CacheWrite: 33, Output: 34},
		BaselineCosts: &recordv1.Costs{Input: 41, CacheRead: 42, CacheWrite: 43, Output: 44},
		BaselinePrice: &recordv1.Price{Input: 51, CacheRead: 52, CacheWrite: 53, CacheWrite_1H: 55, Output: 54, Effective: "2026-11-01"},
		LatencyUs:     100, TtftUs: 20, GatewayUs: 71,
		Attempts: []*recordv1.Attempt{
			{Provider: "b", Model: "a", Status: 503, Code: "X", StartedUs: 1, FirstTokenUs: 2, EndedUs: 30, CostNanoUsd: n(11), UpstreamRequestId: "up", Costs: &recordv1.Costs{}, DroppedParams: []string{"store", "user"}, UsageDifference: -7, ReportedNanoUsd: n(0)},
			{
				Provider: "p", Model: "m", Effort: "low", CostBasis: recordv1.CostBasis_COST_BASIS_ESTIMATED, Unpriced: []string{"web_search", "speed"},
				Tokens: &recordv1.Tokens{Input: 1, CacheRead: 2, CacheWrite: 3, CacheWrite_1H: 2, Output: 4, Reasoning: 5},
			},
			{
				Provider: "p", Model: "m", Effort: "low", CostBasis: recordv1.CostBasis_COST_BASIS_ESTIMATED, Tokens: &recordv1.Tokens{Output: 6},
				CostNanoUsd: n(12), Costs: &recordv1.Costs{Output: 12}, Price: &recordv1.Price{Input: 1, Output: 2},
			},
		},
		Candidates: []*recordv1.Candidate{
			{Model: "m", Provider: "p", Effort: "low", Verdict: "CHOSEN", Text: "why", PredictedNanoUsd: n(5), LatencyUs: 6, Quality: 7, Down: "d", SessionNanoUsd: n(8), OutputTokens: 9},
			{Verdict: "OTHER"},
		},
		Features:      map[string]int64{"tools": 3, "zero": 0, "neg": -1},
		PolicyVersion: "pol", CatalogVersion: "cat", EngineVersion: "eng",
		Content: &recordv1.Content{Request: r.Request, Response: r.Response, RequestBytes: 30_000, ResponseBytes: 6},
		AuthUs:  3, RouteUs: 4, ClientRetry: 2, ClientAddress: "192.0.2.7", Protocol: "messages", Agent: "claude-code", Session: "s-1", User: "u", SideCall: true,
		Budgets: []string{"b1", "b2/ada"},
		Rollout: &recordv1.Rollout{Id: "ro", StableVersion: "p0", CandidateVersion: "p1", Share: 1000},
		DecisionInputs: &recordv1.DecisionInputs{
			Needs: []string{"tools", "vision"}, InputTokens: 61, MaxOutputTokens: 62, Tags: []string{"eu"}, Models: []string{"auto", "m"},
			MaySwapModel: true, BaselineModel: "kb", At: 1794735000, BudgetUsed: n(0), Metadata: map[string]string{"purpose": "batch"},
			StickyModel: "sm", StickyProvider: "sp", Seed: 1 << 63, Predictor: "pred", Qualities: map[string]int64{"m": 700},
			NativeProtocol: "messages", NativeOnly: []string{"signature", "file_id"}, Issuer: "claude", MaxCostNanoUsd: n(0), OwnEffort: true,
			Session: &recordv1.Session{
				LastModel: "lm", LastProvider: "lp", LastAt: 71, Turns: 72, ToolLoop: true, SideCall: true, MarksCache: true, AddedTokens: 73, OutputTokens: 74,
				Cached: []*recordv1.CachedPrefix{{Model: "cm", Provider: "cp", Tokens: 75, Expires: 76}},
			},
		},
	}
	for _, before := range []int{0, 1, 500} {
		b := appended(bytes.Repeat([]byte{7}, before), r)
		require.Equal(t, bytes.Repeat([]byte{7}, before), b[:before])
		got := &recordv1.RequestRecord{}
		require.NoError(t, proto.Unmarshal(b[before:], got))
		if !proto.Equal(want, got) {
			want.Content, got.Content = nil, nil
			require.Failf(t, "not the same", "want %v\ngot  %v", want, got)
		}
	}
}

// The capture field of a record matches its content.
func TestTheCaptureFieldMatchesTheContent(t *testing.T) {
	for _, tt := range []struct {
		set  ledger.Capture
		text []byte
		want recordv1.Capture
	}{
		{"", nil, recordv1.Capture_CAPTURE_NONE},
		{"", []byte("text"), recordv1.Capture_CAPTURE_FULL},
		{ledger.CaptureNone, nil, recordv1.Capture_CAPTURE_NONE},
		{ledger.CaptureFull, nil, recordv1.Capture_CAPTURE_NONE},
		{ledger.CaptureFull, []byte("text"), recordv1.Capture_CAPTURE_FULL},
		{ledger.CaptureRedacted, []byte("text"), recordv1.Capture_CAPTURE_REDACTED},
		{ledger.CaptureDropped, nil, recordv1.Capture_CAPTURE_DROPPED},
	} {
		r := record()
		r.Capture, r.Request = tt.set, tt.text
		require.Equal(t, tt.want, encoded(t, r).GetCapture(), tt)
	}
}

// BenchmarkAppendRecord compares the hand-written encoder with the generated code. The
// generated code needs a message first; proto.Clone stands for the cost of building it.
func BenchmarkAppendRecord(b *testing.B) {
	r := full()
	r.Request, r.Response = nil, nil
	b.Run("by hand", func(b *testing.B) {
		var buf []byte
		b.ReportAllocs()
		for b.Loop() {
			buf = appended(buf[:0], r)
		}
	})
	b.Run("generated", func(b *testing.B) {
		var message recordv1.RequestRecord
		require.NoError(b, proto.Unmarshal(appended(nil, r), &message))
		var buf []byte
		b.ReportAllocs()
		for b.Loop() {
			buf, _ = proto.MarshalOptions{}.MarshalAppend(buf[:0], proto.Clone(&message))
		}
	})
	b.Run("generated, message exists", func(b *testing.B) {
		var message recordv1.RequestRecord
		require.NoError(b, proto.Unmarshal(appended(nil, r), &message))
		var buf []byte
		b.ReportAllocs()
		for b.Loop() {
			buf, _ = proto.MarshalOptions{}.MarshalAppend(buf[:0], &message)
		}
	})
}

// nowhere is a spool that discards every frame.
type nowhere struct{}

func (nowhere) Start([16]byte, []byte) error { return nil }
func (nowhere) End([16]byte, []byte) error   { return nil }
func (nowhere) Forget([16]byte)              {}

type free struct{}

func (free) Price(decide.Candidate, time.Time) (catalog.Price, bool) { return catalog.Price{}, true }

// BenchmarkWriter measures the two frames of a request without the disk.
func BenchmarkWriter(b *testing.B) {
	r, book := full(), ledger.NewWriter(nowhere{}, 40, recordcodec.Codec{})
	r.Decision.Plan = []decide.Candidate{r.Served}
	r.Request, r.Response = nil, nil
	usage, attempts := r.Usage, r.Attempts
	b.ReportAllocs()
	for b.Loop() {
		r.Usage, r.Attempts = catalog.Usage{}, nil
		if err := book.Start(r, free{}, 500); err != nil {
			b.Fatal(err)
		}
		r.Usage, r.Attempts = usage, attempts
		if err := book.Finish(r, free{}); err != nil {
			b.Fatal(err)
		}
	}
}

package codec

import (
	recordv1 "github.com/signalbox/signalbox/proto/signalbox/record/v1"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

// enum pairs the numbers of a protobuf enumeration with the words of ours.
type enum[N ~int32, W ~string] []pair[N, W]

type pair[N ~int32, W ~string] struct {
	number N
	word   W
}

func (e enum[N, W]) name(n N) (W, bool) {
	for _, p := range e {
		if p.number == n {
			return p.word, true
		}
	}
	return "", false
}

func (e enum[N, W]) value(w W) N {
	for _, p := range e {
		if p.word == w {
			return p.number
		}
	}
	return 0
}

var routes = enum[recordv1.Route, record.Route]{
	{recordv1.Route_ROUTE_UNSPECIFIED, ""},
	{recordv1.Route_ROUTE_EXPECTED, record.Expected},
	{recordv1.Route_ROUTE_FALLBACK, record.Fallback},
	{recordv1.Route_ROUTE_POLICY, record.Policy},
}

var outcomes = enum[recordv1.Outcome, record.Outcome]{
	{recordv1.Outcome_OUTCOME_OK, record.OK},
	{recordv1.Outcome_OUTCOME_ERROR, record.Failed},
	{recordv1.Outcome_OUTCOME_REJECTED, record.Rejected},
	{recordv1.Outcome_OUTCOME_INTERRUPTED, record.Interrupted},
	{recordv1.Outcome_OUTCOME_CLIENT_CLOSED, record.ClientClosed},
	{recordv1.Outcome_OUTCOME_ABORTED, record.Aborted},
}

var endpoints = enum[recordv1.Endpoint, string]{
	{recordv1.Endpoint_ENDPOINT_UNSPECIFIED, ""},
	{recordv1.Endpoint_ENDPOINT_CHAT, "chat"},
	{recordv1.Endpoint_ENDPOINT_EMBEDDINGS, "embeddings"},
}

var bases = enum[recordv1.CostBasis, record.Basis]{
	{recordv1.CostBasis_COST_BASIS_UNSPECIFIED, ""},
	{recordv1.CostBasis_COST_BASIS_FINAL, record.Final},
	{recordv1.CostBasis_COST_BASIS_ESTIMATED, record.Estimated},
}

var captures = enum[recordv1.Capture, record.Capture]{
	{recordv1.Capture_CAPTURE_UNSPECIFIED, ""},
	{recordv1.Capture_CAPTURE_NONE, record.CaptureNone},
	{recordv1.Capture_CAPTURE_FULL, record.CaptureFull},
	{recordv1.Capture_CAPTURE_REDACTED, record.CaptureRedacted},
	{recordv1.Capture_CAPTURE_DROPPED, record.CaptureDropped},
}

func reasonFromProto(r *recordv1.Reason) record.Reason {
	return record.Reason{Code: text(r.GetCode()), Text: Cut(r.GetText(), maxReason), Rule: text(r.GetRule())}
}

func tokensFromProto(t *recordv1.Tokens) record.Tokens {
	return record.Tokens{
		Input: t.GetInput(), CacheRead: t.GetCacheRead(), CacheWrite: t.GetCacheWrite(), CacheWrite1h: t.GetCacheWrite_1H(),
		Output: t.GetOutput(), Reasoning: t.GetReasoning(),
	}
}

func tokensToProto(t record.Tokens) *recordv1.Tokens {
	return &recordv1.Tokens{
		Input: t.Input, CacheRead: t.CacheRead, CacheWrite: t.CacheWrite, CacheWrite_1H: t.CacheWrite1h,
		Output: t.Output, Reasoning: t.Reasoning,
	}
}

func candidatesFromProto(all []*recordv1.Candidate) []record.Candidate {
	var out []record.Candidate
	for _, c := range first(all, maxParts) {
		out = append(out, record.Candidate{
			Model: text(c.GetModel()), Provider: text(c.GetProvider()), Verdict: text(c.GetVerdict()), Text: text(c.GetText()),
			Predicted: c.PredictedNanoUsd, Latency: c.GetLatencyUs(), Quality: c.GetQuality(), Down: text(c.GetDown()),
		})
	}
	return out
}

func candidatesToProto(all []record.Candidate) []*recordv1.Candidate {
	var out []*recordv1.Candidate
	for _, c := range all {
		out = append(out, &recordv1.Candidate{
			Model: valid(c.Model), Provider: valid(c.Provider), Verdict: valid(c.Verdict), Text: valid(c.Text),
			PredictedNanoUsd: c.Predicted, LatencyUs: c.Latency, Quality: c.Quality, Down: valid(c.Down),
		})
	}
	return out
}

func featuresToProto(all map[string]int64) map[string]int64 {
	out := make(map[string]int64, len(all))
	for name, value := range all {
		out[valid(name)] = value
	}
	return out
}

func contentFromProto(c *recordv1.Content) *record.Content {
	if c == nil {
		return nil
	}
	return &record.Content{
		Request: first(c.GetRequest(), maxContent), Response: first(c.GetResponse(), maxContent),
		RequestBytes: c.GetRequestBytes(), ResponseBytes: c.GetResponseBytes(),
	}
}

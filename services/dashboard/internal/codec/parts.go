package codec

import (
	recordv1 "github.com/signalbox/signalbox/proto/signalbox/record/v1"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

// numberOf returns the number of a name, or 0 for an unknown name.
func numberOf[N ~int32, W ~string](names map[N]W, name W) N {
	for n, w := range names {
		if w == name {
			return n
		}
	}
	return 0
}

var routes = map[recordv1.Route]record.Route{
	recordv1.Route_ROUTE_UNSPECIFIED: "",
	recordv1.Route_ROUTE_EXPECTED:    record.RouteExpected,
	recordv1.Route_ROUTE_FALLBACK:    record.RouteFallback,
	recordv1.Route_ROUTE_POLICY:      record.RoutePolicy,
}

var outcomes = map[recordv1.Outcome]record.Outcome{
	recordv1.Outcome_OUTCOME_OK:            record.OutcomeOK,
	recordv1.Outcome_OUTCOME_ERROR:         record.OutcomeError,
	recordv1.Outcome_OUTCOME_REJECTED:      record.OutcomeRejected,
	recordv1.Outcome_OUTCOME_INTERRUPTED:   record.OutcomeInterrupted,
	recordv1.Outcome_OUTCOME_CLIENT_CLOSED: record.OutcomeClientClosed,
	recordv1.Outcome_OUTCOME_ABORTED:       record.OutcomeAborted,
}

var endpoints = map[recordv1.Endpoint]string{
	recordv1.Endpoint_ENDPOINT_UNSPECIFIED: "",
	recordv1.Endpoint_ENDPOINT_CHAT:        "chat",
	recordv1.Endpoint_ENDPOINT_EMBEDDINGS:  "embeddings",
}

var bases = map[recordv1.CostBasis]record.CostBasis{
	recordv1.CostBasis_COST_BASIS_UNSPECIFIED: "",
	recordv1.CostBasis_COST_BASIS_FINAL:       record.CostFinal,
	recordv1.CostBasis_COST_BASIS_ESTIMATED:   record.CostEstimated,
}

var captures = map[recordv1.Capture]record.Capture{
	recordv1.Capture_CAPTURE_UNSPECIFIED: "",
	recordv1.Capture_CAPTURE_NONE:        record.CaptureNone,
	recordv1.Capture_CAPTURE_FULL:        record.CaptureFull,
	recordv1.Capture_CAPTURE_REDACTED:    record.CaptureRedacted,
	recordv1.Capture_CAPTURE_DROPPED:     record.CaptureDropped,
}

func reasonFromProto(r *recordv1.Reason) record.Reason {
	return record.Reason{Code: limitText(r.GetCode()), Text: Truncate(r.GetText(), maxReason), Rule: limitText(r.GetRule())}
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
	for _, c := range firstItems(all, maxListItems) {
		out = append(out, record.Candidate{
			Model: limitText(c.GetModel()), Provider: limitText(c.GetProvider()), Effort: limitText(c.GetEffort()), Verdict: limitText(c.GetVerdict()), Text: limitText(c.GetText()),
			PredictedCost: c.PredictedNanoUsd, SessionCost: c.SessionNanoUsd, OutputTokens: c.GetOutputTokens(), Latency: c.GetLatencyUs(), Quality: c.GetQuality(), DownReason: limitText(c.GetDown()),
		})
	}
	return out
}

func candidatesToProto(all []record.Candidate) []*recordv1.Candidate {
	var out []*recordv1.Candidate
	for _, c := range all {
		out = append(out, &recordv1.Candidate{
			Model: toValidUTF8(c.Model), Provider: toValidUTF8(c.Provider), Effort: toValidUTF8(c.Effort), Verdict: toValidUTF8(c.Verdict), Text: toValidUTF8(c.Text),
			PredictedNanoUsd: c.PredictedCost, SessionNanoUsd: c.SessionCost, OutputTokens: c.OutputTokens, LatencyUs: c.Latency, Quality: c.Quality, Down: toValidUTF8(c.DownReason),
		})
	}
	return out
}

func featuresToProto(all map[string]int64) map[string]int64 {
	out := make(map[string]int64, len(all))
	for name, value := range all {
		out[toValidUTF8(name)] = value
	}
	return out
}

func contentFromProto(c *recordv1.Content) *record.Content {
	if c == nil {
		return nil
	}
	return &record.Content{
		Request: firstItems(c.GetRequest(), maxContent), Response: firstItems(c.GetResponse(), maxContent),
		RequestBytes: c.GetRequestBytes(), ResponseBytes: c.GetResponseBytes(),
	}
}

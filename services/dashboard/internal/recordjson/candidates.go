package recordjson

import (
	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/pkg/explain"
	"github.com/signalbox/signalbox/services/dashboard/internal/jsonvalue"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

type candidateJSON struct {
	Model    string `json:"model"`
	Provider string `json:"provider"`
	// Effort is the reasoning effort of the candidate; null if it has none.
	Effort           *string `json:"effort"`
	Verdict          string  `json:"verdict"`
	Text             string  `json:"text"`
	PredictedNanoUSD *int64  `json:"predicted_nano_usd"`
	// SessionNanoUSD is the expected cost of the request and of the rest of its session;
	// null if the request had no session.
	SessionNanoUSD *int64 `json:"session_nano_usd"`
	// LatencyUS is the expected time to the first token; null if unknown.
	LatencyUS *int64 `json:"latency_us"`
	// Quality is in thousandths. QualityLow and QualityHigh are its interval; null if the
	// quality was not predicted for this request.
	Quality     int64  `json:"quality"`
	QualityLow  *int64 `json:"quality_low"`
	QualityHigh *int64 `json:"quality_high"`
	// OutputTokens is the expected length of the response, on which the predicted cost is
	// based; null if it is unknown.
	OutputTokens *int64 `json:"output_tokens"`
	// Down says why the candidate was unavailable; null if it was available.
	Down *string `json:"down"`
}

// toExplanation explains the decision in words. It needs no text, so that a record whose
// content is not stored has the same explanation.
func toExplanation(r *record.Record) *explain.Explanation {
	if r.Inputs == nil && len(r.Features) == 0 {
		return nil
	}
	e := explain.Explain(factsOf(r))
	return &e
}

func factsOf(r *record.Record) explain.Facts {
	facts := explain.Facts{Features: decide.NamedValuesFromMap(r.Features)}
	if in := r.Inputs; in != nil {
		facts.Predictor, facts.Qualities = in.Predictor, decide.NamedValuesFromMap(in.Qualities)
	}
	return facts
}

func toCandidatesJSON(r *record.Record) []candidateJSON {
	all, facts := []candidateJSON{}, factsOf(r)
	for _, c := range r.Candidates {
		out := candidateJSON{
			Model: c.Model, Provider: c.Provider, Effort: jsonvalue.NullIfZero(c.Effort), Verdict: c.Verdict, Text: c.Text,
			PredictedNanoUSD: c.PredictedCost, SessionNanoUSD: c.SessionCost, OutputTokens: jsonvalue.NullIfZero(c.OutputTokens),
			LatencyUS: jsonvalue.NullIfZero(c.Latency), Quality: c.Quality, Down: jsonvalue.NullIfZero(c.DownReason),
		}
		if interval, ok := facts.IntervalOf(c.Model, c.Quality); ok {
			out.QualityLow, out.QualityHigh = &interval.Low, &interval.High
		}
		all = append(all, out)
	}
	return all
}

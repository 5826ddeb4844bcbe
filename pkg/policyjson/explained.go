package policyjson

import (
	"github.com/signalbox/signalbox/pkg/decidepb"
	"github.com/signalbox/signalbox/pkg/explain"
	routerv1 "github.com/signalbox/signalbox/proto/signalbox/router/v1"
)

// FactsOf returns the facts of a decision that Explain returned.
func FactsOf(d *routerv1.Decision) explain.Facts {
	read := decidepb.ToDecision(d)
	return explain.Facts{Features: read.Features, Qualities: read.Qualities, Predictor: read.Predictor}
}

// EncodeDecision encodes a decision like EncodeMessage, and adds its explanation in words. Each
// verdict also has the interval of its quality.
func EncodeDecision(d *routerv1.Decision) map[string]any {
	facts := FactsOf(d)
	out := EncodeMessage(d)
	out["explanation"] = explain.Explain(facts)
	verdicts, _ := out["verdicts"].([]any)
	for i, v := range d.GetVerdicts() {
		verdict, ok := verdicts[i].(map[string]any)
		if !ok {
			continue
		}
		verdict["quality_low"], verdict["quality_high"] = nil, nil
		if interval, ok := facts.IntervalOf(v.GetCandidate().GetModel(), v.GetQuality()); ok {
			verdict["quality_low"], verdict["quality_high"] = interval.Low, interval.High
		}
	}
	return out
}

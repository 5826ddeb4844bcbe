package decidepb

import (
	"github.com/signalbox/signalbox/pkg/decide"
	routerv1 "github.com/signalbox/signalbox/proto/signalbox/router/v1"
)

// FromDecision converts a decision to its message.
func FromDecision(d *decide.Decision) *routerv1.Decision {
	out := &routerv1.Decision{
		Plan: make([]*routerv1.Candidate, len(d.Plan)), HealthyFirst: FromCandidate(d.HealthyFirst),
		Reason:           &routerv1.Reason{Code: d.Reason.Code, Text: validUTF8(d.Reason.Text), Rule: d.Reason.Rule},
		PolicyControlled: d.PolicyControlled, Verdicts: make([]*routerv1.Verdict, len(d.Verdicts)),
		BaselineModel: d.Baseline, PolicyVersion: d.PolicyVersion, CatalogVersion: d.CatalogVersion, EngineVersion: d.EngineVersion,
		Features: FromNamedValues(d.Features), Sticky: fromOptional(d.Sticky), Qualities: FromNamedValues(d.Qualities), Predictor: d.Predictor,
	}
	for i, c := range d.Plan {
		out.Plan[i] = FromCandidate(c)
	}
	for i := range d.Verdicts {
		out.Verdicts[i] = fromVerdict(&d.Verdicts[i])
	}
	return out
}

func fromVerdict(v *decide.Verdict) *routerv1.Verdict {
	return &routerv1.Verdict{
		Candidate: FromCandidate(v.Candidate), Code: v.Code, Text: validUTF8(v.Text), PredictedNanoUsd: v.PredictedCost.Pointer(),
		LatencyUs: v.Latency, Quality: v.Quality, Down: v.DownReason, SessionNanoUsd: v.SessionCost.Pointer(), OutputTokens: v.OutputTokens,
	}
}

// ToDecision converts a message to a decision.
func ToDecision(d *routerv1.Decision) *decide.Decision {
	out := &decide.Decision{
		Plan: make([]decide.Candidate, len(d.GetPlan())), HealthyFirst: ToCandidate(d.GetHealthyFirst()),
		Reason:           decide.Reason{Code: d.GetReason().GetCode(), Text: d.GetReason().GetText(), Rule: d.GetReason().GetRule()},
		PolicyControlled: d.GetPolicyControlled(), Verdicts: make([]decide.Verdict, len(d.GetVerdicts())),
		Baseline: d.GetBaselineModel(), PolicyVersion: d.GetPolicyVersion(), CatalogVersion: d.GetCatalogVersion(), EngineVersion: d.GetEngineVersion(),
		Features: ToNamedValues(d.GetFeatures()), Sticky: toOptional(d.GetSticky()),
		Qualities: ToNamedValues(d.GetQualities()), Predictor: d.GetPredictor(),
	}
	for i, c := range d.GetPlan() {
		out.Plan[i] = ToCandidate(c)
	}
	for i, v := range d.GetVerdicts() {
		out.Verdicts[i] = toVerdict(v)
	}
	return out
}

func toVerdict(v *routerv1.Verdict) decide.Verdict {
	return decide.Verdict{
		Candidate: ToCandidate(v.GetCandidate()), Code: v.GetCode(), Text: v.GetText(),
		Latency: v.GetLatencyUs(), Quality: v.GetQuality(), DownReason: v.GetDown(),
		PredictedCost: toOptionalInt(v.PredictedNanoUsd), SessionCost: toOptionalInt(v.SessionNanoUsd), OutputTokens: v.GetOutputTokens(),
	}
}

// toOptionalInt converts a number that may be absent.
func toOptionalInt(n *int64) decide.OptionalInt {
	if n == nil {
		return decide.OptionalInt{}
	}
	return decide.KnownInt(*n)
}

package grpcapi

import (
	"time"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/decide"
	routerv1 "github.com/signalbox/signalbox/proto/signalbox/router/v1"
)

// toQuestion converts all fields except the excerpt of the prompt. Decisions depend on the
// excerpt only through its features.
func toQuestion(q *routerv1.Question) (decide.Question, error) {
	kind := catalog.Chat
	switch q.GetEndpoint() {
	case routerv1.Endpoint_ENDPOINT_CHAT:
	case routerv1.Endpoint_ENDPOINT_EMBEDDINGS:
		kind = catalog.Embeddings
	default:
		return decide.Question{}, unknownEndpointError()
	}
	needs := make([]catalog.Capability, len(q.GetNeeds()))
	for i, n := range q.GetNeeds() {
		needs[i] = catalog.Capability(n)
	}
	a := q.GetCaller()
	out := decide.Question{
		Kind: kind, Model: q.GetModel(), Needs: needs,
		InputTokens: q.GetInputTokens(), MaxOutputTokens: q.GetMaxOutputTokens(),
		Features: decide.NamedValuesFromMap(q.GetFeatures()), Seed: q.GetSeed(), BudgetUsed: q.BudgetUsed, Metadata: q.GetMetadata(),
		Qualities: decide.NamedValuesFromMap(q.GetQualities()), Predictor: q.GetPredictor(),
		Caller: decide.Caller{
			AccountID: a.GetAccountId(), KeyID: a.GetKeyId(), Tags: a.GetTags(), Models: a.GetModels(),
			MaySwapModel: a.GetMaySwapModel(), Baseline: a.GetBaselineModel(),
		},
	}
	if q.GetAt() != 0 {
		out.At = time.Unix(q.GetAt(), 0).UTC()
	}
	if q.GetSticky() != nil {
		sticky := toCandidate(q.GetSticky())
		out.Sticky = &sticky
	}
	return out, nil
}

func fromDecision(d *decide.Decision) *routerv1.Decision {
	out := &routerv1.Decision{
		HealthyFirst:     fromCandidate(d.HealthyFirst),
		Reason:           &routerv1.Reason{Code: d.Reason.Code, Text: d.Reason.Text, Rule: d.Reason.Rule},
		PolicyControlled: d.PolicyControlled, BaselineModel: d.Baseline,
		PolicyVersion: d.PolicyVersion, CatalogVersion: d.CatalogVersion, EngineVersion: d.EngineVersion, Features: d.Features.ToMap(),
		Qualities: d.Qualities.ToMap(), Predictor: d.Predictor,
	}
	if d.Sticky != nil {
		out.Sticky = fromCandidate(*d.Sticky)
	}
	for _, t := range d.Plan {
		out.Plan = append(out.Plan, fromCandidate(t))
	}
	for i := range d.Verdicts {
		v := &d.Verdicts[i]
		out.Verdicts = append(out.Verdicts, &routerv1.Verdict{
			Candidate: fromCandidate(v.Candidate), Code: v.Code, Text: v.Text, PredictedNanoUsd: v.PredictedCost.Pointer(),
			LatencyUs: v.Latency, Quality: v.Quality, Down: v.DownReason,
		})
	}
	return out
}

func fromCandidate(t decide.Candidate) *routerv1.Candidate {
	return &routerv1.Candidate{Model: t.Model, Provider: t.Provider}
}

func toCandidate(t *routerv1.Candidate) decide.Candidate {
	return decide.Candidate{Model: t.GetModel(), Provider: t.GetProvider()}
}

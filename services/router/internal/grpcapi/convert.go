package grpcapi

import (
	"time"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/decide"
	routerv1 "github.com/signalbox/signalbox/proto/signalbox/router/v1"
)

// toQuestion leaves the excerpt out: no decision depends on it but through what
// is read from it.
func toQuestion(q *routerv1.Question) (decide.Question, error) {
	kind := catalog.Chat
	switch q.GetEndpoint() {
	case routerv1.Endpoint_ENDPOINT_CHAT:
	case routerv1.Endpoint_ENDPOINT_EMBEDDINGS:
		kind = catalog.Embeddings
	default:
		return decide.Question{}, unknownEndpoint()
	}
	needs := make([]catalog.Capability, len(q.GetNeeds()))
	for i, n := range q.GetNeeds() {
		needs[i] = catalog.Capability(n)
	}
	a := q.GetAsker()
	out := decide.Question{
		Kind: kind, Model: q.GetModel(), Needs: needs,
		InputTokens: q.GetInputTokens(), MaxOutputTokens: q.GetMaxOutputTokens(),
		Features: decide.NumbersOf(q.GetFeatures()), Seed: q.GetSeed(), BudgetUsed: q.BudgetUsed, Metadata: q.GetMetadata(),
		Qualities: decide.NumbersOf(q.GetQualities()), Predictor: q.GetPredictor(),
		Asker: decide.Asker{
			AccountID: a.GetAccountId(), KeyID: a.GetKeyId(), Tags: a.GetTags(), Models: a.GetModels(),
			MaySwapModel: a.GetMaySwapModel(), Baseline: a.GetBaselineModel(),
		},
	}
	if q.GetAt() != 0 {
		out.At = time.Unix(q.GetAt(), 0).UTC()
	}
	if q.GetSticky() != nil {
		sticky := toTarget(q.GetSticky())
		out.Sticky = &sticky
	}
	return out, nil
}

func fromDecision(d *decide.Decision) *routerv1.Decision {
	out := &routerv1.Decision{
		HealthyFirst:     fromTarget(d.HealthyFirst),
		Reason:           &routerv1.Reason{Code: d.Reason.Code, Text: d.Reason.Text, Rule: d.Reason.Rule},
		PolicyControlled: d.PolicyControlled, BaselineModel: d.Baseline,
		PolicyVersion: d.Policy, CatalogVersion: d.Catalog, EngineVersion: d.Engine, Features: d.Features.Map(),
		Qualities: d.Qualities.Map(), Predictor: d.Predictor,
	}
	if d.Sticky != nil {
		out.Sticky = fromTarget(*d.Sticky)
	}
	for _, t := range d.Plan {
		out.Plan = append(out.Plan, fromTarget(t))
	}
	for i := range d.Verdicts {
		v := &d.Verdicts[i]
		out.Verdicts = append(out.Verdicts, &routerv1.Verdict{
			Target: fromTarget(v.Target), Code: v.Code, Text: v.Text, PredictedNanoUsd: v.Predicted.Pointer(),
			LatencyUs: v.Latency, Quality: v.Quality, Down: v.Down,
		})
	}
	return out
}

func fromTarget(t decide.Target) *routerv1.Target {
	return &routerv1.Target{Model: t.Model, Provider: t.Provider}
}

func toTarget(t *routerv1.Target) decide.Target {
	return decide.Target{Model: t.GetModel(), Provider: t.GetProvider()}
}

package control

import (
	"maps"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/decide"
	routerv1 "github.com/signalbox/signalbox/proto/signalbox/router/v1"
)

func toQuestion(q decide.Question) *routerv1.Question {
	out := &routerv1.Question{
		Endpoint:        routerv1.Endpoint_ENDPOINT_CHAT,
		Model:           q.Model,
		InputTokens:     q.InputTokens,
		MaxOutputTokens: q.MaxOutputTokens,
		Features:        q.Features,
		Seed:            q.Seed,
		Asker: &routerv1.Asker{
			AccountId:     q.Asker.AccountID,
			KeyId:         q.Asker.KeyID,
			Tags:          q.Asker.Tags,
			Models:        q.Asker.Models,
			MaySwapModel:  q.Asker.MaySwapModel,
			BaselineModel: q.Asker.Baseline,
		},
	}
	if q.Kind == catalog.Embeddings {
		out.Endpoint = routerv1.Endpoint_ENDPOINT_EMBEDDINGS
	}
	for _, n := range q.Needs {
		out.Needs = append(out.Needs, string(n))
	}
	return out
}

// fromDecision joins the features of the question, which are not repeated,
// with those that the router took from the text.
func fromDecision(d *routerv1.Decision, asked map[string]int64) *decide.Decision {
	features := asked
	if len(d.GetFeatures()) > 0 {
		features = maps.Clone(asked)
		maps.Copy(features, d.GetFeatures())
	}
	out := &decide.Decision{
		HealthyFirst:     fromTarget(d.GetHealthyFirst()),
		Reason:           decide.Reason{Code: d.GetReason().GetCode(), Text: d.GetReason().GetText(), Rule: d.GetReason().GetRule()},
		PolicyControlled: d.GetPolicyControlled(),
		Baseline:         d.GetBaselineModel(),
		Policy:           d.GetPolicyVersion(),
		Catalog:          d.GetCatalogVersion(),
		Engine:           d.GetEngineVersion(),
		Features:         features,
	}
	for _, t := range d.GetPlan() {
		out.Plan = append(out.Plan, fromTarget(t))
	}
	for _, v := range d.GetVerdicts() {
		out.Verdicts = append(out.Verdicts, decide.Verdict{
			Target: fromTarget(v.GetTarget()), Code: v.GetCode(), Text: v.GetText(), Predicted: v.PredictedNanoUsd,
		})
	}
	return out
}

func fromTarget(t *routerv1.Target) decide.Target {
	return decide.Target{Model: t.GetModel(), Provider: t.GetProvider()}
}

func toTarget(t decide.Target) *routerv1.Target {
	return &routerv1.Target{Model: t.Model, Provider: t.Provider}
}

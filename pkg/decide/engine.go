package decide

import (
	"slices"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/policy"
)

// Decide makes the plan for a question. The plan has all eligible targets in
// the order of preference: those of the selection, each model's places in
// their order, then those of on_failure. How many of them are tried is up to
// the caller. Health is the last filter, so HealthyFirst is what the same
// question would get if everything were up.
//
// Errors: MODEL_NOT_FOUND, MODEL_NOT_ALLOWED, UNSUPPORTED_PARAMETER,
// CONTEXT_LENGTH_EXCEEDED, NO_ELIGIBLE_ROUTE, NO_ROUTE_AVAILABLE.
//
// It changes none of its arguments and is safe for concurrent use. The features
// of the decision are the question's own map.
func Decide(p *policy.Policy, q Question, h Health) (*Decision, error) {
	// The order in which a client's needs were found must not show.
	q.Needs = slices.Sorted(slices.Values(q.Needs))
	c, err := resolve(p, q)
	if err != nil {
		return nil, err
	}
	judged := judge(p, q, h, c)
	d := &Decision{
		Verdicts: make([]Verdict, len(judged)),
		Baseline: baseline(p, q, c),
		Policy:   p.Version(), Catalog: p.Catalog, Engine: EngineVersion,
		Features: q.Features,
	}
	for i := range judged {
		if judged[i].eligible() {
			d.Plan = append(d.Plan, judged[i].target)
		}
		d.Verdicts[i] = judged[i].verdict(len(d.Plan))
	}
	if len(d.Plan) == 0 {
		return nil, refuse(p, q, c, judged)
	}
	first := slices.IndexFunc(judged, func(j judgement) bool { return j.allowed && j.obstacle.code == "" })
	d.HealthyFirst = judged[first].target
	unbound := slices.IndexFunc(judged, func(j judgement) bool { return j.obstacle.code == "" })
	d.PolicyControlled = unbound != first
	d.Reason = reason(c, judged, d.Plan[0])
	return d, nil
}

// baseline is the model the caller would have used without us. Accounts and
// keys choose theirs for chat; embeddings have a default of their own, because
// only vectors of one model can be compared.
func baseline(p *policy.Policy, q Question, c choice) string {
	switch {
	case c.explicit:
		return c.selected[0].ID
	case q.Kind == catalog.Embeddings:
		return p.Defaults.EmbeddingBaseline
	case q.Asker.Baseline != "":
		if m, ok := p.Alias(q.Asker.Baseline); ok {
			return m.ID
		}
		return q.Asker.Baseline
	}
	return p.Defaults.Baseline
}

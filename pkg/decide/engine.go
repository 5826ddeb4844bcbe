package decide

import (
	"slices"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/policy"
)

// Decide makes the plan for a question. The plan has all eligible targets in
// the order of preference: those that were selected, then those of on_failure.
// How many of them are tried is up to the caller. Health is the last filter,
// so HealthyFirst is what the same question would get if everything were up;
// where everything is down that could serve, it is tried all the same, for the
// last usable target is never taken away.
//
// Errors: MODEL_NOT_FOUND, MODEL_NOT_ALLOWED, UNSUPPORTED_PARAMETER,
// CONTEXT_LENGTH_EXCEEDED, NO_ELIGIBLE_ROUTE, NO_ROUTE_AVAILABLE,
// POLICY_DENIED.
//
// It changes none of its arguments and is safe for concurrent use. The maps of
// the decision are the question's own.
func Decide(p *policy.Policy, q Question, h Health) (*Decision, error) {
	// The order in which a client's needs were found must not show.
	q.Needs = slices.Sorted(slices.Values(q.Needs))
	c, err := resolve(p, &q)
	if err != nil {
		return nil, err
	}
	f := newField(p, &q, h, &c)
	f.arrange()
	f.plan()
	if len(f.planned) == 0 {
		return nil, refuse(p, &q, &c, f.order)
	}
	first, unbound := f.first()
	d := &Decision{
		Plan:             make([]Target, len(f.planned)),
		HealthyFirst:     first.target,
		PolicyControlled: c.conditional() || unbound != first,
		Reason:           f.reason(unbound),
		Verdicts:         make([]Verdict, len(f.order)),
		Baseline:         baseline(p, &q, &c),
		Policy:           p.Version(), Catalog: p.Catalog, Engine: EngineVersion,
		Features: q.Features, Sticky: q.Sticky, Qualities: q.Qualities, Predictor: q.Predictor,
	}
	for i, j := range f.planned {
		d.Plan[i] = j.target
	}
	for i, j := range f.order {
		d.Verdicts[i] = j.verdict()
	}
	return d, nil
}

// Refused is what is known of a question that was refused, for its record: a
// decision without a plan, from which the refusal can be computed again.
func Refused(p *policy.Policy, q *Question) *Decision {
	return &Decision{
		Policy: p.Version(), Catalog: p.Catalog, Engine: EngineVersion,
		Features: q.Features, Sticky: q.Sticky, Qualities: q.Qualities, Predictor: q.Predictor,
	}
}

// baseline is the model the caller would have used without us. Accounts and
// keys choose theirs for chat; embeddings have a default of their own, because
// only vectors of one model can be compared.
func baseline(p *policy.Policy, q *Question, c *choice) string {
	switch {
	case c.explicit:
		return c.selected[0].Model.ID
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

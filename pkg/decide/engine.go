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
// It changes none of its arguments and is safe for concurrent use. The numbers
// of the decision are the question's own.
func Decide(p *policy.Policy, q Question, h Health) (*Decision, error) {
	d := &Decision{}
	if err := Into(d, p, &q, h); err != nil {
		return nil, err
	}
	return d, nil
}

// Into is Decide for who has no further use for an earlier decision: the memory
// of its plan and its verdicts is used again. With an error it is a Refused one.
func Into(d *Decision, p *policy.Policy, q *Question, h Health) error {
	f := enterField(p, q, h)
	defer f.leave()
	err := f.decide()
	if err != nil {
		d.begin(p, q)
		return err
	}
	f.tell(d)
	return nil
}

// Refused is what is known of a question that was refused, for its record: a
// decision without a plan, from which the refusal can be computed again.
func Refused(p *policy.Policy, q *Question) *Decision {
	d := &Decision{}
	d.begin(p, q)
	return d
}

// begin makes a decision that has no plan yet, in the memory of the one before.
func (d *Decision) begin(p *policy.Policy, q *Question) {
	*d = Decision{
		Plan: d.Plan[:0], Verdicts: d.Verdicts[:0],
		Policy: p.Version(), Catalog: p.Catalog, Engine: EngineVersion,
		Features: q.Features, Sticky: q.Sticky, Qualities: q.Qualities, Predictor: q.Predictor,
	}
}

// decide fills the field.
func (f *field) decide() error {
	if err := f.resolve(); err != nil {
		return err
	}
	f.arrange()
	f.plan()
	if len(f.planned) == 0 {
		return refuse(f.p, &f.q, &f.c, f.order)
	}
	return nil
}

// tell makes the decision of a field with a plan.
func (f *field) tell(d *Decision) {
	d.begin(f.p, &f.q)
	first, unbound := f.first()
	d.HealthyFirst = first.target
	d.PolicyControlled = f.c.conditional() || unbound != first
	d.Reason = f.reason(unbound)
	d.Baseline = baseline(f.p, &f.q, &f.c)
	d.Plan = slices.Grow(d.Plan, len(f.planned))
	for _, j := range f.planned {
		d.Plan = append(d.Plan, j.target)
	}
	d.Verdicts = slices.Grow(d.Verdicts, len(f.order))
	for _, j := range f.order {
		d.Verdicts = append(d.Verdicts, j.verdict())
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

package decide

import (
	"slices"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/policy"
)

// Decide chooses the candidates for a question. The plan contains every eligible
// candidate that is up, in order of preference. The selected candidates come first,
// then the fallbacks of the route's on_failure list. The caller chooses how many
// candidates to try.
//
// The plan contains a candidate that is down in two cases. The route's affinity keeps
// the conversation at this candidate. Or all eligible candidates are down, and the
// cause for this candidate is an open breaker, not a provider's limit.
//
// Errors: MODEL_NOT_FOUND, MODEL_NOT_ALLOWED, UNSUPPORTED_PARAMETER,
// CONTEXT_LENGTH_EXCEEDED, MAX_COST_EXCEEDED, NO_ELIGIBLE_ROUTE, NO_ROUTE_AVAILABLE,
// POLICY_DENIED.
//
// Decide does not change its arguments and is safe for concurrent use. The decision
// shares the memory of Features, Sticky and Qualities with the question.
func Decide(p *policy.Policy, q Question, h Health) (*Decision, error) {
	d := &Decision{}
	if err := DecideInto(d, p, &q, h); err != nil {
		return nil, err
	}
	return d, nil
}

// DecideInto works like Decide, but stores the decision in d and reuses the memory
// of d's plan and verdicts. On an error, d becomes a RejectedDecision.
func DecideInto(d *Decision, p *policy.Policy, q *Question, h Health) error {
	s := newSelection(p, q, h)
	defer s.release()
	err := s.selectCandidates()
	if err != nil {
		d.reset(p, q)
		return err
	}
	s.fillDecision(d)
	return nil
}

// RejectedDecision returns a decision without a plan, for the record of a rejected
// request. It holds the versions and the inputs that every Decision copies for a replay.
func RejectedDecision(p *policy.Policy, q *Question) *Decision {
	d := &Decision{}
	d.reset(p, q)
	return d
}

// reset clears the decision but reuses the memory of its lists. It then copies the fields
// that depend only on the question and the policy.
func (d *Decision) reset(p *policy.Policy, q *Question) {
	*d = Decision{
		Plan: d.Plan[:0], Verdicts: d.Verdicts[:0],
		PolicyVersion: p.Version(), CatalogVersion: p.Catalog, EngineVersion: EngineVersion,
		Features: q.Features, Sticky: q.Sticky, Qualities: q.Qualities, Predictor: q.Predictor,
	}
}

func (s *selection) selectCandidates() error {
	if err := s.resolveModel(); err != nil {
		return err
	}
	s.rankCandidates()
	s.buildPlan()
	if len(s.planned) == 0 {
		return emptyPlanError(s.policy, &s.question, &s.choice, s.ranked)
	}
	return nil
}

// fillDecision stores the result in d. The plan must not be empty.
func (s *selection) fillDecision(d *Decision) {
	d.reset(s.policy, &s.question)
	first, unrestricted := s.firstChoices()
	d.HealthyFirst = first.candidate
	d.PolicyControlled = s.choice.isConditional() && !s.isDecidedByLoop(first) || unrestricted != first
	d.Reason = s.buildReason(unrestricted)
	d.Baseline = s.baseline()
	d.Plan = slices.Grow(d.Plan, len(s.planned))
	for _, e := range s.planned {
		d.Plan = append(d.Plan, e.candidate)
	}
	d.Verdicts = slices.Grow(d.Verdicts, len(s.ranked))[:len(s.ranked)]
	for i, e := range s.ranked {
		e.fillVerdict(&d.Verdicts[i])
	}
}

// baseline returns the model that the caller would use without routing. If the request
// names a model, the baseline is that model.
func (s *selection) baseline() string {
	if s.choice.explicit {
		return s.choice.selected[0].Model.ID
	}
	return BaselineOfRoute(s.policy, &s.question)
}

// BaselineOfRoute returns the baseline model of a request for a route. A key or an account
// can override the policy's baseline for chat. Embeddings always use the policy's embedding
// baseline, because vectors of different models cannot be compared.
func BaselineOfRoute(p *policy.Policy, q *Question) string {
	switch {
	case q.Kind == catalog.Embeddings:
		return p.Defaults.EmbeddingBaseline
	case q.Caller.Baseline != "":
		if m, ok := p.ModelByAlias(q.Caller.Baseline); ok {
			return m.ID
		}
		return q.Caller.Baseline
	}
	return p.Defaults.Baseline
}

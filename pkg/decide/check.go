package decide

import (
	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/policy"
)

// CheckCandidate says why a request must not be sent to a candidate: the hard filters of the
// request exclude it. These are the key's models, the requirements of its route and of the
// rules that apply, and what the request needs. Health, quality, cost and sessions do not
// count. If the request names a model, the requirements of the route auto apply, as for a
// fallback. Both results are empty if the candidate passes.
func CheckCandidate(p *policy.Policy, q *Question, c Candidate) (code, text string) {
	s := newSelection(p, q, AllHealthy{})
	defer s.release()
	s.session, s.question.MaxCost, s.question.Caller.MaySwapModel = nil, OptionalInt{}, true
	if err := s.resolveModel(); err != nil {
		return string(apperr.CodeOf(err)), apperr.From(err).Message
	}
	m, ok := p.Model(c.Model)
	if !ok {
		return NotAllowed, "the policy does not have the model"
	}
	endpoint, ok := m.EndpointAt(c.Provider)
	if !ok {
		return NotAllowed, "the provider does not serve the model"
	}
	e := evaluation{isFallback: true}
	s.evaluate(&e, m, endpoint, c.Effort)
	return e.exclusion()
}

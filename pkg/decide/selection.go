package decide

import (
	"slices"
	"sync"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/policy"
)

// selection is the working state of one decision.
type selection struct {
	policy   *policy.Policy
	question Question
	health   Health
	choice   choice
	// explicitEndpoint is the array behind choice.selected if the request names a
	// model. It saves an allocation.
	explicitEndpoint [1]policy.EndpointRef
	// allowedCandidates are the models in the key's list. An empty Provider means every
	// provider. An empty list allows every candidate.
	allowedCandidates []Candidate

	// evaluations holds every evaluation; the lists below point into it.
	evaluations []evaluation
	// models has the model of each evaluation. Searching it is faster than searching the large
	// evaluations.
	models               []*policy.Model
	selected, belowFloor []*evaluation
	// ranked has all candidates, the most preferred first.
	ranked []*evaluation
	// planned has the candidates of the plan, in order.
	planned []*evaluation
	// bounds are what the rule wants of its candidates. floorMissed is set when no eligible
	// candidate reaches them.
	bounds      bounds
	floorMissed bool
	// movedByAffinity is the candidate that affinity moved to the front, or nil.
	movedByAffinity *evaluation
	// session is the session of the request. It is nil for a side call, because the rules
	// about sessions do not apply to side calls.
	session  *Session
	forecast forecast
	// loop is the candidate that served the last turn of an open tool loop, or nil. Its effort
	// does not matter. loopModel is its model; nil if the policy does not have it any more.
	loop      *Candidate
	loopModel *policy.Model
	// loopEndpoints refers to the loop's model, if a rule of the route names it. loopEndpoint
	// is the array behind it. It saves an allocation.
	loopEndpoints []policy.EndpointRef
	loopEndpoint  [1]policy.EndpointRef
	// firstWithoutLoop would be the first choice if no tool loop were open, and
	// healthyWithoutLoop if, in addition, every provider were healthy.
	firstWithoutLoop, healthyWithoutLoop *evaluation
	// text is the buffer for the sentences of the reason.
	text []byte
}

// selectionPool recycles selections. A decision shares no memory with its selection,
// so nothing refers to a released selection.
var selectionPool = sync.Pool{New: func() any { return new(selection) }}

func newSelection(p *policy.Policy, q *Question, h Health) *selection {
	s := selectionPool.Get().(*selection) //nolint:forcetypeassert // nothing else is stored
	s.policy, s.question, s.health = p, *q, h
	s.question.Needs = sortNeeds(q.Needs)
	s.collectAllowedCandidates(q.Caller.Models)
	if q.Session != nil && !q.Session.SideCall && q.Kind == catalog.Chat {
		s.session = q.Session
		s.forecast.estimate(q, q.Session)
	}
	return s
}

// release returns the selection to the pool. It clears the contents and keeps the
// buffers, so that the pool retains neither a policy nor a question.
func (s *selection) release() {
	clear(s.evaluations)
	clear(s.models)
	clear(s.allowedCandidates)
	clear(s.choice.demands)
	*s = selection{
		allowedCandidates: s.allowedCandidates[:0], evaluations: s.evaluations[:0], models: s.models[:0], selected: s.selected[:0], belowFloor: s.belowFloor[:0], planned: s.planned[:0],
		choice: choice{demands: s.choice.demands[:0]}, text: s.text[:0],
	}
	selectionPool.Put(s)
}

// sortNeeds returns the needs in a fixed order, so that texts do not depend on the
// order of the question's needs. It does not change its argument.
func sortNeeds(needs []catalog.Capability) []catalog.Capability {
	switch {
	case len(needs) == 0:
		return nil
	case slices.IsSorted(needs):
		return needs
	}
	needs = slices.Clone(needs)
	slices.Sort(needs)
	return needs
}

// growBuffers allocates all evaluations at once. Pointers refer to them, so the
// slice must not grow later.
func (s *selection) growBuffers() {
	n := 0
	for _, list := range [...][]policy.EndpointRef{s.choice.selected, s.choice.fallbacks, s.loopEndpoints} {
		for i := range list {
			n += len(list[i].Model.Endpoints)
		}
	}
	s.evaluations, s.selected = slices.Grow(s.evaluations, n), slices.Grow(s.selected, n)
}

// newEvaluation returns the next unused evaluation. It is zero, because release clears all used
// ones. Appending a value would copy several hundred bytes.
func (s *selection) newEvaluation(m *policy.Model) *evaluation {
	n := len(s.evaluations)
	s.models = append(s.models, m)
	s.evaluations = s.evaluations[:n+1]
	return &s.evaluations[n]
}

// evaluateEndpoints evaluates the endpoints in list, each candidate once, and
// appends the results to evaluations.
func (s *selection) evaluateEndpoints(evaluations []*evaluation, list []policy.EndpointRef, isFallback bool) []*evaluation {
	for listIndex := range list {
		ref := &list[listIndex]
		effort := s.effortOf(ref)
		for k := range ref.Model.Endpoints {
			endpoint := &ref.Model.Endpoints[k]
			if ref.Provider != "" && ref.Provider != endpoint.Provider || s.isEvaluated(ref.Model, endpoint.Provider, effort) {
				continue
			}
			e := s.newEvaluation(ref.Model)
			e.listIndex, e.isFallback = listIndex, isFallback
			s.evaluate(e, ref.Model, endpoint, effort)
			evaluations = append(evaluations, e)
		}
	}
	return evaluations
}

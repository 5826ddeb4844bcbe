package decide

import (
	"slices"

	"github.com/signalbox/signalbox/pkg/policy"
)

// rankCandidates evaluates and orders all candidates. The selected candidates come
// first, ordered by the rule's strategy or aim. The fallbacks of on_failure follow, then the
// candidates that miss the rule's bounds (see bounds). If no eligible candidate reaches the
// bounds, the candidates that miss them count as selected, the closest first.
// The model of an open tool loop comes before all of them.
func (s *selection) rankCandidates() {
	s.findToolLoop()
	s.growBuffers()
	s.selected = s.evaluateEndpoints(s.selected, s.choice.selected, false)
	above := s.selected
	if r := s.choice.rule; r != nil && len(r.Candidates) > 0 {
		s.setBounds(r)
		orderFor(r).rank(s, r, s.selected)
		if s.bounds.isSet() {
			above, s.belowFloor = s.splitByBounds(s.selected, s.belowFloor)
			s.floorMissed = !slices.ContainsFunc(above, (*evaluation).isEligible)
		}
	}
	if s.floorMissed {
		above, s.belowFloor = append(above, s.belowFloor...), s.belowFloor[:0]
	}
	s.applyAffinity(above)
	recalled, below := s.recallFallbacks(above)
	s.ranked = s.evaluateEndpoints(recalled, s.choice.fallbacks, true)
	if len(recalled) > len(above) {
		fallbacks := s.ranked[len(above):]
		slices.SortStableFunc(fallbacks, func(a, b *evaluation) int { return s.fallbackIndex(a.candidate) - s.fallbackIndex(b.candidate) })
	}
	s.ranked = append(s.ranked, below...)
	s.continueToolLoop()
}

// recallFallbacks finds the candidates that miss the rule's bounds and are in on_failure.
// It marks them as fallbacks and appends them to evaluations. rest has the other
// candidates below min_quality.
func (s *selection) recallFallbacks(evaluations []*evaluation) (recalled, rest []*evaluation) {
	recalled, rest = evaluations, s.belowFloor[:0]
	for _, e := range s.belowFloor {
		e.isFallback = s.fallbackIndex(e.candidate) >= 0
		e.belowFloor = !e.isFallback
		if e.isFallback {
			recalled = append(recalled, e)
		} else {
			rest = append(rest, e)
		}
	}
	return recalled, rest
}

// fallbackIndex returns the position of a candidate in on_failure, or -1.
func (s *selection) fallbackIndex(candidate Candidate) int {
	return slices.IndexFunc(s.choice.fallbacks, func(ref policy.EndpointRef) bool {
		return ref.Model.ID == candidate.Model && (ref.Provider == "" || ref.Provider == candidate.Provider) && s.effortOf(&ref) == candidate.Effort
	})
}

// applyAffinity moves the candidate that served the conversation last to the front, if
// that candidate is eligible and the rule has no target. If that candidate is down, it
// stays in the plan, unless the route's yields_to lists the cause: an open breaker or a
// rate limit. A strategy that ranks by the cost of the session already knows what the
// candidate has cached, so the candidate keeps its rank. Side calls have no affinity.
func (s *selection) applyAffinity(evaluations []*evaluation) {
	r := s.choice.route
	if r == nil || r.Affinity == nil || s.choice.rule.Target != "" || s.question.Sticky == nil || s.isSideCall() {
		return
	}
	i := slices.IndexFunc(evaluations, func(e *evaluation) bool { return e.candidate.isAt(s.question.Sticky) })
	if i < 0 || !evaluations[i].isEligible() {
		return
	}
	e := evaluations[i]
	state := policy.YieldBreaker
	if e.isOverLimit() {
		state = policy.YieldRateLimit
	}
	e.heldByAffinity = e.downReason != "" && !slices.Contains(r.Affinity.YieldsTo, state)
	if s.ranksBySessionCost() && e.hasSessionCost {
		return
	}
	if slices.ContainsFunc(evaluations[:i], (*evaluation).isEligible) {
		s.movedByAffinity = e
	}
	copy(evaluations[1:], evaluations[:i])
	evaluations[0] = e
}

// buildPlan selects and numbers the candidates to try. If no candidate is usable, it
// admits candidates below min_quality. As a last resort it admits candidates whose
// breaker is open.
func (s *selection) buildPlan() {
	s.appendToPlan((*evaluation).isUsable)
	if len(s.planned) > 0 {
		return
	}
	for _, e := range s.ranked {
		e.belowFloor = false
	}
	if s.appendToPlan((*evaluation).isUsable); len(s.planned) == 0 {
		s.appendToPlan(func(e *evaluation) bool { return !e.isOverLimit() })
	}
}

func (s *selection) appendToPlan(admits func(*evaluation) bool) {
	for _, e := range s.ranked {
		if e.isEligible() && admits(e) {
			s.planned = append(s.planned, e)
			e.planPosition = len(s.planned)
		}
	}
}

// firstChoices returns two candidates. healthy would be first if every provider were
// healthy. unrestricted would be first if, in addition, neither the key nor a
// requirement nor a drain excluded any candidate.
func (s *selection) firstChoices() (healthy, unrestricted *evaluation) {
	for _, e := range s.ranked {
		if unrestricted == nil && e.canServeUnrestricted() {
			unrestricted = e
		}
		if healthy == nil && e.isEligible() {
			healthy = e
		}
	}
	return healthy, unrestricted
}

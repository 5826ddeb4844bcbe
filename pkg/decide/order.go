package decide

import (
	"slices"

	"github.com/signalbox/signalbox/pkg/policy"
)

// rankCandidates evaluates and orders all candidates. The selected candidates come
// first, ordered by the rule's strategy. The fallbacks of on_failure follow, then the
// candidates below the rule's min_quality. If no eligible candidate reaches
// min_quality, the candidates below min_quality count as selected, best quality first.
// The model of an open tool loop comes before all of them.
func (s *selection) rankCandidates() {
	s.findToolLoop()
	s.growBuffers()
	s.selected = s.evaluateEndpoints(s.selected, s.choice.selected, false)
	if r := s.choice.rule; r != nil && r.Strategy != "" {
		rankByStrategy(r, &s.question, s.selected)
	}
	above := s.selected
	if r := s.choice.rule; r != nil && r.MinQuality > 0 {
		above, s.belowFloor = splitByQuality(s.selected, s.belowFloor, r.MinQuality)
		s.floorMissed = !slices.ContainsFunc(above, (*evaluation).isEligible)
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

// splitByQuality separates the evaluations that reach minQuality from the others. It
// sorts the others by quality, best first. above reuses the memory of evaluations, and
// below is appended to belowBuffer.
func splitByQuality(evaluations, belowBuffer []*evaluation, minQuality int64) (above, below []*evaluation) {
	above, below = evaluations[:0], belowBuffer
	for _, e := range evaluations {
		if e.quality >= minQuality {
			above = append(above, e)
		} else {
			below = append(below, e)
		}
	}
	rankByQuality(below)
	return above, below
}

// recallFallbacks finds the candidates below min_quality that are also in on_failure.
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
		return ref.Model.ID == candidate.Model && (ref.Provider == "" || ref.Provider == candidate.Provider)
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
	i := slices.IndexFunc(evaluations, func(e *evaluation) bool { return e.candidate == *s.question.Sticky })
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
// requirement excluded any candidate.
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

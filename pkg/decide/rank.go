package decide

import (
	"cmp"
	"slices"

	"github.com/signalbox/signalbox/pkg/policy"
)

// strategy orders candidates, the most preferred first. It also orders candidates that
// are not eligible, so that eligibility does not change the order. Equal candidates
// stay in the order of the policy document.
type strategy struct {
	rank   func(r *policy.Rule, q *Question, evaluations []*evaluation)
	reason string
	// appendReason appends why the chosen candidate is first.
	appendReason func(s *selection, chosen *evaluation)
}

// strategyFor returns the implementation of a policy's strategy. An unknown strategy
// works like "ordered": it keeps the order of the policy document.
func strategyFor(name policy.Strategy) strategy {
	switch name {
	case policy.Cheapest:
		return strategy{rankByCost, ReasonCheapest, (*selection).appendCostReason}
	case policy.BestQuality:
		return strategy{func(_ *policy.Rule, _ *Question, all []*evaluation) { rankByQuality(all) }, ReasonQuality, (*selection).appendQualityReason}
	case policy.Fastest:
		return strategy{rankByLatency, ReasonFastest, (*selection).appendLatencyReason}
	case policy.Balanced:
		return strategy{rankByBalance, ReasonBalanced, func(s *selection, _ *evaluation) { s.appendText("has the best balance of quality, cost and latency") }}
	case policy.Weighted:
		return strategy{rankByWeight, ReasonWeighted, func(s *selection, _ *evaluation) { s.appendText("was drawn by weight") }}
	}
	return strategy{func(*policy.Rule, *Question, []*evaluation) {}, ReasonOrdered, func(s *selection, _ *evaluation) { s.appendText("is the first") }}
}

func rankByStrategy(r *policy.Rule, q *Question, evaluations []*evaluation) {
	strategyFor(r.Strategy).rank(r, q, evaluations)
}

// compareCost compares expected costs. A candidate without a price comes last.
func compareCost(a, b *evaluation) int {
	switch {
	case a.hasPrice && b.hasPrice:
		return cmp.Compare(a.rankedCost, b.rankedCost)
	case a.hasPrice:
		return -1
	case b.hasPrice:
		return 1
	}
	return 0
}

func compareQuality(a, b *evaluation) int { return cmp.Compare(b.quality, a.quality) }

// rankByCost implements the strategy "cheapest": lowest expected cost first, then
// highest quality.
func rankByCost(_ *policy.Rule, _ *Question, evaluations []*evaluation) {
	slices.SortStableFunc(evaluations, func(a, b *evaluation) int { return cmp.Or(compareCost(a, b), compareQuality(a, b)) })
}

// rankByQuality implements the strategy "quality": highest quality first, then lowest
// expected cost.
func rankByQuality(evaluations []*evaluation) {
	slices.SortStableFunc(evaluations, func(a, b *evaluation) int { return cmp.Or(compareQuality(a, b), compareCost(a, b)) })
}

// rankByLatency implements the strategy "fastest". An unknown latency counts as the
// median, so that a new candidate is neither always first nor always last.
func rankByLatency(_ *policy.Rule, _ *Question, evaluations []*evaluation) {
	median := medianLatency(evaluations)
	slices.SortStableFunc(evaluations, func(a, b *evaluation) int {
		return cmp.Compare(cmp.Or(a.latency, median), cmp.Or(b.latency, median))
	})
}

// medianLatency returns the lower median of the known latencies; 0 if there is none.
func medianLatency(evaluations []*evaluation) int64 {
	var buffer [16]int64
	known := buffer[:0]
	for _, e := range evaluations {
		if e.latency > 0 {
			known = append(known, e.latency)
		}
	}
	if len(known) == 0 {
		return 0
	}
	slices.Sort(known)
	return known[(len(known)-1)/2]
}

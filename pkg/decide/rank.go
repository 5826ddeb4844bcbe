package decide

import (
	"cmp"
	"slices"

	"github.com/signalbox/signalbox/pkg/policy"
)

// order is how a rule orders its candidates, the most preferred first. It also orders
// candidates that are not eligible, so that eligibility does not change the order. Equal
// candidates stay in the order of the policy document.
type order struct {
	rank   func(s *selection, r *policy.Rule, evaluations []*evaluation)
	reason string
	// appendReason appends why the chosen candidate is first.
	appendReason func(s *selection, chosen *evaluation)
}

// orderFor returns the implementation of a rule's aim or strategy. An unknown one works like
// "ordered": it keeps the order of the policy document.
func orderFor(r *policy.Rule) order {
	if r.Aim != nil {
		return aimOrder(r.Aim)
	}
	switch r.Strategy {
	case policy.Cheapest:
		return order{rankByCost, ReasonCheapest, (*selection).appendCostReason}
	case policy.BestQuality:
		return order{rankByBestQuality, ReasonQuality, (*selection).appendQualityReason}
	case policy.Fastest:
		return order{rankByLatency, ReasonFastest, (*selection).appendLatencyReason}
	case policy.Balanced:
		return order{rankByBalance, ReasonBalanced, func(s *selection, _ *evaluation) { s.appendText("has the best balance of quality, cost and latency") }}
	case policy.Weighted:
		return order{rankByWeight, ReasonWeighted, func(s *selection, _ *evaluation) { s.appendText("was drawn by weight") }}
	}
	return order{func(*selection, *policy.Rule, []*evaluation) {}, ReasonOrdered, func(s *selection, _ *evaluation) { s.appendText("is the first") }}
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
func rankByCost(_ *selection, _ *policy.Rule, evaluations []*evaluation) {
	slices.SortStableFunc(evaluations, func(a, b *evaluation) int { return cmp.Or(compareCost(a, b), compareQuality(a, b)) })
}

// rankByBestQuality implements the strategy "quality".
func rankByBestQuality(_ *selection, _ *policy.Rule, evaluations []*evaluation) {
	rankByQuality(evaluations)
}

// rankByQuality sorts by quality, highest first, then by expected cost, lowest first.
func rankByQuality(evaluations []*evaluation) {
	slices.SortStableFunc(evaluations, func(a, b *evaluation) int { return cmp.Or(compareQuality(a, b), compareCost(a, b)) })
}

// rankByLatency implements the strategy "fastest". An unknown latency counts as the
// median, so that a new candidate is neither always first nor always last.
func rankByLatency(_ *selection, _ *policy.Rule, evaluations []*evaluation) {
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

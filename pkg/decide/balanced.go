package decide

import (
	"cmp"
	"slices"

	"github.com/signalbox/signalbox/pkg/policy"
)

// rankByBalance implements the strategy "balanced". It sorts by an integer score,
//
//	score = 2 * quality - cost - latency
//
// where quality, cost and latency are from 0 to 1000. Cost and latency are scaled to
// thousandths of the highest value among the candidates. A candidate without a price
// counts as the most expensive one, and an unknown latency counts as the median.
// Quality counts twice, so a much better candidate can outweigh both other terms.
func rankByBalance(_ *selection, _ *policy.Rule, evaluations []*evaluation) {
	median := medianLatency(evaluations)
	var maxCost, maxLatency int64
	for _, e := range evaluations {
		maxCost, maxLatency = max(maxCost, e.rankedCost), max(maxLatency, e.latency)
	}
	for _, e := range evaluations {
		e.score = 2*e.quality - toThousandths(cmp.Or(e.latency, median), maxLatency)
		if e.hasPrice {
			e.score -= toThousandths(e.rankedCost, maxCost)
		} else {
			e.score -= 1000
		}
	}
	slices.SortStableFunc(evaluations, func(a, b *evaluation) int { return cmp.Compare(b.score, a.score) })
}

// toThousandths returns part / whole * 1000 without overflow for large numbers.
func toThousandths(part, whole int64) int64 {
	switch {
	case part <= 0 || whole <= 0:
		return 0
	case part > (1<<62)/1000:
		return part / (whole/1000 + 1)
	}
	return part * 1000 / whole
}

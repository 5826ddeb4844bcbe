package decide

import (
	"cmp"
	"slices"

	"github.com/signalbox/signalbox/pkg/policy"
)

// byBalance is the strategy balanced: by a score of whole numbers,
//
//	score = 2 * quality - cost - time
//
// each from 0 to 1000. Cost and time are in thousandths of the dearest's and
// the slowest's; what has no price counts as the dearest, and who is not known
// to be slow or fast as the middle one. A candidate twice as good may so cost
// all that there is to save, in money or in time.
func byBalance(_ *policy.Rule, _ *Question, all []*judgement) {
	middle := middleLatency(all)
	var dearest, slowest int64
	for _, j := range all {
		dearest, slowest = max(dearest, j.cost), max(slowest, j.latency)
	}
	for _, j := range all {
		j.score = 2*j.quality - thousandths(cmp.Or(j.latency, middle), slowest)
		if j.priced {
			j.score -= thousandths(j.cost, dearest)
		} else {
			j.score -= 1000
		}
	}
	slices.SortStableFunc(all, func(a, b *judgement) int { return cmp.Compare(b.score, a.score) })
}

// thousandths of a whole; the numbers may be large.
func thousandths(part, whole int64) int64 {
	switch {
	case whole <= 0:
		return 0
	case part > (1<<62)/1000:
		return part / (whole/1000 + 1)
	}
	return part * 1000 / whole
}

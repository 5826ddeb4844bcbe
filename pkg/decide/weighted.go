package decide

import (
	"cmp"
	"slices"

	"github.com/signalbox/signalbox/pkg/policy"
)

// rankByWeight implements the strategy "weighted". It draws the entries of the
// rule's candidate list one by one. The chance of an entry is its weight divided by
// the sum of the remaining weights. The question's seed determines the draws.
// Entries with weight 0 come last. All endpoints of an entry stay together.
func rankByWeight(s *selection, r *policy.Rule, evaluations []*evaluation) {
	positions := drawOrder(r, s.question.Seed)
	slices.SortStableFunc(evaluations, func(a, b *evaluation) int { return cmp.Compare(positions[a.listIndex], positions[b.listIndex]) })
}

// drawOrder returns, for each entry of the rule's candidates, its position after the
// draw.
func drawOrder(r *policy.Rule, seed uint64) []int {
	weights, total := make([]uint64, len(r.Candidates)), uint64(0)
	for i, name := range r.Candidates {
		weights[i] = 1
		if r.Weights != nil {
			weights[i] = uint64(max(0, r.Weights[name]))
		}
		total += weights[i]
	}
	positions := make([]int, len(weights))
	for i := range positions {
		positions[i] = len(positions) + i
	}
	for next := 0; total > 0; next++ {
		seed += splitMixIncrement
		at := splitMix64(seed) % total
		for i, w := range weights {
			if at < w {
				positions[i], weights[i] = next, 0
				total -= w
				break
			}
			at -= w
		}
	}
	return positions
}

// splitMixIncrement is added to the state of the SplitMix64 generator before each draw.
const splitMixIncrement = 0x9e3779b97f4a7c15

// splitMix64 returns the number for a state of the SplitMix64 generator. The generator
// is implemented here, because a replay must draw the same order with every Go version.
func splitMix64(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

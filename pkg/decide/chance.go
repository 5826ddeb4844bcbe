package decide

import (
	"cmp"
	"slices"

	"github.com/signalbox/signalbox/pkg/policy"
)

// byChance is the strategy weighted: candidates are drawn one after the other,
// each with its weight among those left, by the question's seed. Who has no
// weight comes last. The places of one candidate stay together.
func byChance(r *policy.Rule, q *Question, all []*judgement) {
	turn := draw(r, q.Seed)
	slices.SortStableFunc(all, func(a, b *judgement) int { return cmp.Compare(turn[a.name], turn[b.name]) })
}

// draw gives every candidate of the rule its turn.
func draw(r *policy.Rule, seed uint64) []int {
	weights, total := make([]uint64, len(r.Candidates)), uint64(0)
	for i, name := range r.Candidates {
		weights[i] = 1
		if r.Weights != nil {
			weights[i] = uint64(max(0, r.Weights[name]))
		}
		total += weights[i]
	}
	turn := make([]int, len(weights))
	for i := range turn {
		turn[i] = len(turn) + i
	}
	for next := 0; total > 0; next++ {
		seed += step
		at := mix(seed) % total
		for i, w := range weights {
			if at < w {
				turn[i], weights[i] = next, 0
				total -= w
				break
			}
			at -= w
		}
	}
	return turn
}

// step and mix are SplitMix64, which makes of any seed a sequence without a
// pattern.
const step = 0x9e3779b97f4a7c15

func mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

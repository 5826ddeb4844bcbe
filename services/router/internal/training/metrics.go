package training

import (
	"math"
	"math/rand/v2"
	"slices"
)

// Task is a pair with a score and the qualities of both models for each prompt.
type Task struct {
	Pair         Pair
	Scores       []float64
	Strong, Weak []float64
	// Inside counts the prompts that resemble what was learned.
	Inside int
}

// APGR is the share of the gap between both models that the scores recover, averaged over
// all shares of requests that go to the strong model. 0.5 is chance. Equal scores share
// their ranks.
func (t *Task) APGR() float64 { return apgr(t.Scores, t.Strong, t.Weak) }

func apgr(scores, strong, weak []float64) float64 {
	ranks := meanRanks(scores)
	n, sum, total := float64(len(scores)), 0.0, 0.0
	for i, rank := range ranks {
		gap := strong[i] - weak[i]
		sum += gap * (rank + 0.5) / n
		total += gap
	}
	return sum / total
}

// meanRanks returns the rank of each value, from 0 for the lowest on.
func meanRanks(values []float64) []float64 {
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case values[a] < values[b]:
			return -1
		case values[a] > values[b]:
			return 1
		}
		return 0
	})
	ranks := make([]float64, len(values))
	for from := 0; from < len(order); {
		to := from
		for to < len(order) && values[order[to]] == values[order[from]] {
			to++
		}
		for _, i := range order[from:to] {
			ranks[i] = float64(from+to-1) / 2
		}
		from = to
	}
	return ranks
}

// correlation returns the linear correlation of two lists.
func correlation(a, b []float64) float64 {
	ma, mb := mean(a), mean(b)
	var ab, aa, bb float64
	for i := range a {
		x, y := a[i]-ma, b[i]-mb
		ab, aa, bb = ab+x*y, aa+x*x, bb+y*y
	}
	return ab / math.Sqrt(aa*bb)
}

// Interval returns the 95 % bootstrap interval of the APGR. It is reproducible.
func (t *Task) Interval() (low, high float64) {
	random := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // not for secrets
	results := make([]float64, 0, bootstrapRuns)
	n := len(t.Scores)
	scores, strong, weak := make([]float64, n), make([]float64, n), make([]float64, n)
	for range bootstrapRuns {
		for i := range n {
			k := random.IntN(n)
			scores[i], strong[i], weak[i] = t.Scores[k], t.Strong[k], t.Weak[k]
		}
		if a := apgr(scores, strong, weak); !math.IsNaN(a) && !math.IsInf(a, 0) {
			results = append(results, a)
		}
	}
	slices.Sort(results)
	if len(results) == 0 {
		return math.NaN(), math.NaN()
	}
	return results[len(results)/40], results[len(results)*39/40]
}

const bootstrapRuns = 200

package statistics

import (
	"cmp"
	"math"
	"slices"
)

// WidestAlpha returns the alpha of each of several intervals, so that with probability 1 -
// alpha all of them contain their true values (Bonferroni). A page that shows many models
// and kinds of tasks uses it, because among 100 intervals of 95 % about 5 are wrong.
func WidestAlpha(alpha float64, segments int) float64 { return alpha / float64(max(1, segments)) }

// EValue returns the evidence against a mean difference of at most m, as an e-value: if the
// mean is at most m, its expected value is at most 1 at any time. 20 is strong evidence.
func EValue(s Sample, m float64) float64 { return math.Exp(logCapital(s, m)) }

// HolmRejects says which of several hypotheses may be rejected such that the probability of
// a single false rejection is at most alpha (Holm 1979). The p-value of an e-value e is
// 1/e, and is valid at any time.
func HolmRejects(eValues []float64, alpha float64) []bool {
	order := make([]int, len(eValues))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(eValues[b], eValues[a]) })
	rejects := make([]bool, len(eValues))
	for rank, i := range order {
		if eValues[i] < float64(len(eValues)-rank)/alpha {
			break
		}
		rejects[i] = true
	}
	return rejects
}

// FindWorse says which segments are worse, of several that are compared at once. Each
// segment is tested against a mean difference of at least 0.
func FindWorse(segments []Sample, alpha float64) []bool {
	eValues := make([]float64, len(segments))
	for i, s := range segments {
		eValues[i] = EValue(Sample{N: s.N, Sum: -s.Sum, Squares: s.Squares}, 0)
	}
	return HolmRejects(eValues, alpha)
}

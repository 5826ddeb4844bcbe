package training

import (
	"slices"

	"github.com/signalbox/signalbox/services/router/internal/predict"
)

// fitMembership fits the memberships of collections and their guards. The limits of the
// guards come from texts that the fit did not see: each half is judged by the other.
func fitMembership(w *predict.Weights, c *corpus) {
	tests := make([]guardTests, len(c.samples))
	for half := range 2 {
		b := membershipBlock(c, w.IDF, func(i int) bool { return i%2 == half })
		for k, samples := range c.samples {
			seen, rest := splitHalves(samples, half)
			familiar := predict.Collection{Heads: predict.Block{Mean: w.Collections[k].Heads.Mean}}
			fitFamiliarity(&familiar, seen)
			tests[k].add(rest, &familiar, func(s *sample) int64 { return b.ValueOf(k, s.rows, w.IDF, s.style) })
		}
	}
	w.Membership = *membershipBlock(c, w.IDF, func(int) bool { return true })
	for k, samples := range c.samples {
		fitFamiliarity(&w.Collections[k], withVariants(samples))
		w.Collections[k].Guard = tests[k].guard()
	}
}

// splitHalves returns the samples of one half and those of the other, with their variants.
func splitHalves(samples []sample, half int) (seen, rest []sample) {
	for i := range samples {
		if i%2 == half {
			seen = append(seen, samples[i])
		} else {
			rest = append(rest, samples[i])
		}
	}
	return withVariants(seen), withVariants(rest)
}

// membershipBlock fits one head per collection to the samples that use selects.
func membershipBlock(c *corpus, idf []uint8, use func(int) bool) *predict.Block {
	var all []sample
	var owners []int
	for k, samples := range append(slices.Clone(c.samples), c.everyday) {
		for i, s := range samples {
			if use(i) {
				all, owners = append(all, s), append(owners, k)
				for _, v := range s.variants {
					all, owners = append(all, v), append(owners, k)
				}
			}
		}
	}
	b := &predict.Block{Rows: predict.WordRows}
	standardise(b, all)
	// The last head is the membership of everyday texts.
	targets := make([]target, len(c.samples)+1)
	for k := range targets {
		values := make([]float64, len(all))
		for i, owner := range owners {
			if owner == k {
				values[i] = 1
			}
		}
		targets[k] = target{model: -1, values: values}
	}
	f := &fitter{block: b, idf: idf, ridge: memberRidge, weights: balance(owners, len(c.samples)+1)}
	f.fit(all, targets)
	return b
}

// balance returns weights of samples that give all owners the same weight.
func balance(owners []int, n int) []float64 {
	counts := make([]float64, n)
	for _, owner := range owners {
		counts[owner]++
	}
	weights := make([]float64, len(owners))
	for i, owner := range owners {
		weights[i] = min(float64(len(owners))/float64(n)/counts[owner], maxBalance)
	}
	return weights
}

// maxBalance limits the weight of a sample.
const maxBalance = 10

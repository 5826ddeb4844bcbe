package training

import (
	"math"
	"slices"

	"github.com/signalbox/signalbox/services/router/internal/predict"
)

// guardTests holds what the guard measures on texts of a collection.
type guardTests struct{ memberships, surprises, distances []int64 }

func (g *guardTests) add(samples []sample, c *predict.Collection, membership func(*sample) int64) {
	for i := range samples {
		s := &samples[i]
		g.memberships = append(g.memberships, membership(s))
		g.surprises = append(g.surprises, c.SurpriseOf(s.rows))
		g.distances = append(g.distances, c.DistanceOf(s.style))
	}
}

// guard returns limits at which few texts of the collection itself are outside.
func (g *guardTests) guard() predict.Guard {
	typical := quantile(g.distances, 0.5)
	spread := quantile(g.distances, 0.9) - typical
	return predict.Guard{
		MemberOut: quantile(g.memberships, 0.001), MemberIn: quantile(g.memberships, 0.005),
		MemberLow: quantile(g.memberships, 0.1), MemberTypical: quantile(g.memberships, 0.5),
		SurpriseIn: quantile(g.surprises, 1-partlyOutside), SurpriseOut: quantile(g.surprises, 1-fullyOutside),
		DistanceIn: typical + styleIn*spread, DistanceOut: typical + styleOut*spread,
	}
}

const (
	// partlyOutside and fullyOutside are the shares of the texts of a collection that are
	// outside by their words.
	partlyOutside = 0.01
	fullyOutside  = 0.001
	// styleIn and styleOut are the distances of the style at which a text begins to be outside
	// and is outside, beyond the typical distance, in spreads from it to that of the ninth of
	// ten texts. They were chosen with left-out collections: the texts of a new kind have the
	// style of no collection, even if they have its words.
	styleIn  = 2
	styleOut = 4
)

func quantile(values []int64, share float64) int64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[min(int(share*float64(len(sorted))), len(sorted)-1)]
}

// fitFamiliarity sets how probable each word is in a collection, and how its style varies.
func fitFamiliarity(c *predict.Collection, samples []sample) {
	counts := make([]float64, predict.WordRows)
	for _, s := range samples {
		for _, row := range s.rows {
			counts[row]++
		}
	}
	c.Surprise = make([]uint8, len(counts))
	for row, n := range counts {
		probability := (n + unseenCount) / float64(len(samples)+1)
		c.Surprise[row] = uint8(min(max(-16*math.Log(probability), 0), 16*mostSurprise))
	}
	c.Precision = precisionOf(samples, c.Heads.Mean)
}

const (
	// unseenCount is the count of a word that no text has.
	unseenCount = 0.2
	// mostSurprise limits the surprise of a word, so that a typo is hardly more surprising
	// than a rare word.
	mostSurprise = 6
)

// precisionOf returns the inverse of the covariance of the style features. A small variance is
// added to each feature, so that one that never varied still tells a text apart.
func precisionOf(samples []sample, mean []int32) []int32 {
	n := len(mean)
	covariance := make([][]float64, n)
	for i := range covariance {
		covariance[i] = make([]float64, n)
		covariance[i][i] = leastVariance
	}
	offsets := make([]float64, n)
	for _, s := range samples {
		for j, value := range s.style {
			offsets[j] = float64(value-mean[j]) / 256
		}
		for i := range n {
			for j := range n {
				covariance[i][j] += offsets[i] * offsets[j] / float64(len(samples))
			}
		}
	}
	inverse := make([]int32, 0, n*n)
	for _, row := range invert(covariance) {
		for _, v := range row {
			inverse = append(inverse, int32(math.Round(v*predict.PrecisionOne)))
		}
	}
	return inverse
}

// leastVariance is added to the variance of every style feature.
const leastVariance = 0.05

// invert returns the inverse of a positive definite matrix, by Gauss-Jordan elimination.
func invert(m [][]float64) [][]float64 {
	n := len(m)
	inverse := make([][]float64, n)
	for i := range inverse {
		inverse[i] = make([]float64, n)
		inverse[i][i] = 1
	}
	for i := range n {
		scaleRow(m[i], inverse[i], 1/m[i][i])
		for k := range n {
			if k != i {
				subtractRow(m[k], m[i], inverse[k], inverse[i], m[k][i])
			}
		}
	}
	return inverse
}

func scaleRow(a, b []float64, factor float64) {
	for j := range a {
		a[j], b[j] = a[j]*factor, b[j]*factor
	}
}

func subtractRow(a, pivot, b, inverse []float64, factor float64) {
	for j := range a {
		a[j], b[j] = a[j]-factor*pivot[j], b[j]-factor*inverse[j]
	}
}

package training

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/services/router/internal/predict"
)

// A collection knows its own words and style. Other texts are further away.
func TestFamiliarity(t *testing.T) {
	cat, err := catalog.Load()
	require.NoError(t, err)
	r := newReader(cat)
	var samples []sample
	for i := range 60 {
		samples = append(samples, r.read(fmt.Sprintf("A farmer has %d cows and sells %d of them. How many cows are left?", i+9, i)))
	}
	c := predict.Collection{}
	standardise(&c.Heads, samples)
	fitFamiliarity(&c, samples)
	own, other := r.read("A farmer has 12 cows and sells 3 of them. How many cows does he keep?"), r.read("panic: nil map\n\tmain.go:12 +0x1d\nWhy?")
	require.Less(t, c.SurpriseOf(own.rows), c.SurpriseOf(other.rows))
	require.Less(t, 4*c.DistanceOf(own.style), c.DistanceOf(other.style))
	require.Less(t, c.DistanceOf(own.style), int64(4*256))
}

// Limits leave the texts of the collection inside, except for few.
func TestGuardKeepsItsOwnTexts(t *testing.T) {
	var tests guardTests
	for i := range int64(1000) {
		tests.memberships, tests.surprises, tests.distances = append(tests.memberships, i), append(tests.surprises, i), append(tests.distances, i)
	}
	g := tests.guard()
	require.True(t, g.MemberOut < g.MemberIn && g.MemberIn < g.MemberLow && g.MemberLow < g.MemberTypical)
	require.Less(t, g.MemberIn, int64(50))
	require.Greater(t, g.SurpriseIn, int64(950))
	require.Greater(t, g.SurpriseOut, g.SurpriseIn)
	require.Greater(t, g.DistanceOut, g.DistanceIn)
}

func TestInvert(t *testing.T) {
	inverse := invert([][]float64{{4, 1}, {1, 3}})
	require.InDelta(t, 3.0/11, inverse[0][0], 1e-12)
	require.InDelta(t, -1.0/11, inverse[0][1], 1e-12)
	require.InDelta(t, 4.0/11, inverse[1][1], 1e-12)
}

// The calibration finds the level and the scale that the outcomes were drawn with.
func TestEaseIsCalibrated(t *testing.T) {
	f := collectionFit{abilities: map[string]float64{"a": 0, "b": 100}, slope: 0.01}
	h := &halves{}
	for i := range 4000 {
		ease := float64(i%9-4) / 2
		s := sample{outcomes: map[arm]float64{}}
		for model, ability := range f.abilities {
			s.outcomes[arm{0, model}] = logistic(-1 + f.slope*ability + 0.6*ease)
		}
		f.samples, h.other = append(f.samples, s), append(h.other, []float64{ease})
	}
	f.rates = successRates(f.samples)
	b := predict.Block{Heads: []predict.Head{{Level: 1000, WordScale: 1000}}}
	require.InDelta(t, -1, h.calibrateEase(&b, &f).base, 1e-3)
	require.InDelta(t, 600, b.Heads[0].WordScale, 1)
	require.InDelta(t, 600, b.Heads[0].Level, 1)
}

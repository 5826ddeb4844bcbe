package training

import (
	"math"
	"slices"

	"github.com/signalbox/signalbox/services/router/internal/predict"
)

// collectionFit is what a collection is learned from.
type collectionFit struct {
	src     source
	samples []sample
	// rates holds the share of good outcomes of each arm.
	rates map[arm]float64
	// index holds the numbers of models, and abilities their abilities.
	index     map[string]int
	abilities map[string]float64
	slope     float64
	idf       []uint8
	// models are the only ones that get heads. Nil means all.
	models map[string]bool
}

// heads returns the arms that get heads, in their order.
func (f *collectionFit) heads() []arm {
	return slices.DeleteFunc(sortedArms(f.rates), func(a arm) bool { return f.models != nil && !f.models[a.model] })
}

// fit learns a collection. Weights that were learned from one half of the samples predict
// the other half; from these predictions follow the calibration and the typical errors.
func (f *collectionFit) fit() predict.Collection {
	c := predict.Collection{Name: f.src.name, Number: f.src.number, Strict: f.src.strict, StaticGap: staticGapOf(f.samples), Heads: f.fitHeads(f.samples)}
	h := f.predictHalves()
	h.calibrateHeads(&c.Heads, f)
	line := h.calibrateEase(&c.Heads, f)
	c.Base, c.Slope = int64(math.Round(line.base*predict.One)), int64(math.Round(line.slope*predict.One))
	measured := h.differ() / 2
	c.MeasuredError = int64(math.Round(1000 * measured))
	c.Error = int64(math.Round(1000 * math.Hypot(measured, f.levelError(line))))
	return c
}

// fitHeads fits the ease and a head per arm.
func (f *collectionFit) fitHeads(samples []sample) predict.Block {
	b := predict.Block{Rows: f.src.rows}
	samples = withVariants(samples)
	standardise(&b, samples)
	targets := []target{{model: -1, values: easeOf(samples, f.rates), ridge: easeRidge}}
	for _, a := range f.heads() {
		targets = append(targets, target{model: f.index[a.model], panel: a.panel, values: outcomesOf(samples, a)})
	}
	fit := &fitter{block: &b, idf: f.idf, ridge: ridge}
	fit.fit(samples, targets)
	return b
}

func outcomesOf(samples []sample, a arm) []float64 {
	values := make([]float64, len(samples))
	for i, s := range samples {
		score, ok := s.outcomes[a]
		if values[i] = score; !ok {
			values[i] = math.NaN()
		}
	}
	return values
}

// easeOf returns how much easier each text is than the average one, in logits: the mean
// difference to the rate of each model, divided by the slope of the logistic function.
func easeOf(samples []sample, rates map[arm]float64) []float64 {
	values := make([]float64, len(samples))
	for i, s := range samples {
		difference, slope := 0.0, 0.0
		for _, a := range sortedArms(s.outcomes) {
			rate := clipRate(rates[a])
			difference += s.outcomes[a] - rates[a]
			slope += rate * (1 - rate)
		}
		if slope > 0 {
			values[i] = difference / slope
		}
	}
	return values
}

// staticGapOf returns the mean static gap of samples, in units of 1/1000000.
func staticGapOf(samples []sample) int64 {
	gaps := make([]float64, len(samples))
	for i := range samples {
		gaps[i] = samples[i].staticGap
	}
	return int64(math.Round(1e6 * mean(gaps)))
}

// levelError returns how far the success rates of models are from those that their ability
// suggests.
func (f *collectionFit) levelError(l line) float64 {
	sum := 0.0
	for _, a := range sortedArms(f.rates) {
		expected := logistic(l.base + l.slope*f.abilities[a.model])
		sum += (f.rates[a] - expected) * (f.rates[a] - expected)
	}
	return math.Sqrt(sum / float64(len(f.rates)))
}

func logistic(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

package training

import (
	"maps"
	"math"
	"slices"

	"github.com/signalbox/signalbox/services/router/internal/predict"
)

// corpus is the samples of every collection, in the order of sources.
type corpus struct {
	sources []source
	samples [][]sample
	// everyday holds texts that belong to no collection.
	everyday []sample
}

// train learns weights from a corpus.
func train(c *corpus) *predict.Weights {
	w := &predict.Weights{Style: predict.StyleNames(), IDF: documentFrequencies(append(slices.Clone(c.samples), c.everyday))}
	successes := make([]map[string]float64, len(c.samples))
	for i, samples := range c.samples {
		successes[i] = successRates(samples)
	}
	abilities, lines := rateModels(successes)
	index := map[string]int{}
	for _, name := range slices.Sorted(maps.Keys(abilities)) {
		index[name] = len(w.Models)
		w.Models = append(w.Models, predict.Model{Name: name, Ability: int64(math.Round(abilities[name]))})
	}
	for i, samples := range c.samples {
		w.Collections = append(w.Collections, fitCollection(c.sources[i], samples, successes[i], lines[i], index, w.IDF))
	}
	fitMembership(w, c)
	return w
}

func successRates(samples []sample) map[string]float64 {
	sums, counts := map[string]float64{}, map[string]float64{}
	for _, s := range samples {
		for model, score := range s.outcomes {
			sums[model] += score
			counts[model]++
		}
	}
	for model := range sums {
		sums[model] /= counts[model]
	}
	return sums
}

func fitCollection(src source, samples []sample, rates map[string]float64, l line, index map[string]int, idf []uint8) predict.Collection {
	c := predict.Collection{
		Name: src.name, Strict: src.strict, Base: int64(math.Round(l.base * predict.One)), Slope: int64(math.Round(l.slope * predict.One)),
	}
	c.Heads.Rows = src.rows
	samples = withVariants(samples)
	standardise(&c.Heads, samples)
	f := &fitter{block: &c.Heads, idf: idf, ridge: ridge}
	targets := []target{{model: -1, values: easeOf(samples, rates)}}
	for _, model := range slices.Sorted(maps.Keys(rates)) {
		targets = append(targets, target{model: index[model], values: outcomesOf(samples, model)})
	}
	f.fit(samples, targets)
	return c
}

func outcomesOf(samples []sample, model string) []float64 {
	values := make([]float64, len(samples))
	for i, s := range samples {
		score, ok := s.outcomes[model]
		if values[i] = score; !ok {
			values[i] = math.NaN()
		}
	}
	return values
}

// easeOf returns how much easier each text is than the average one, in logits: the mean
// difference to the rate of each model, divided by the slope of the logistic function.
func easeOf(samples []sample, rates map[string]float64) []float64 {
	values := make([]float64, len(samples))
	for i, s := range samples {
		difference, slope := 0.0, 0.0
		for _, model := range slices.Sorted(maps.Keys(s.outcomes)) {
			rate := clipRate(rates[model])
			difference += s.outcomes[model] - rates[model]
			slope += rate * (1 - rate)
		}
		if slope > 0 {
			values[i] = difference / slope
		}
	}
	return values
}

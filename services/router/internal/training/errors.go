package training

import (
	"maps"
	"math"
	"slices"

	"github.com/signalbox/signalbox/services/router/internal/predict"
)

// addErrors estimates the typical errors of predictions, for the intervals that are shown.
// The error of a model with outcomes is half of the difference between weights that were
// learned from one half of the samples and from the other. A model without outcomes has
// the error of its level in addition.
func addErrors(w *predict.Weights, c *corpus) {
	for i := range w.Collections {
		measured := halvesDiffer(c.sources[i], c.samples[i], w.IDF) / 2
		level := levelError(&w.Collections[i], c.samples[i], w.Models)
		w.Collections[i].MeasuredError = int64(math.Round(1000 * measured))
		w.Collections[i].Error = int64(math.Round(1000 * math.Hypot(measured, level)))
	}
}

// halvesDiffer returns the root of the mean squared difference of the predictions.
func halvesDiffer(src source, samples []sample, idf []uint8) float64 {
	rates := successRates(samples)
	index := map[string]int{}
	for i, model := range slices.Sorted(maps.Keys(rates)) {
		index[model] = i
	}
	var halves [2]predict.Collection
	for h := range halves {
		var part []sample
		for i := h; i < len(samples); i += 2 {
			part = append(part, samples[i])
		}
		halves[h] = fitCollection(src, part, rates, line{}, index, idf)
	}
	sum, n := 0.0, 0.0
	for i := range samples {
		s := &samples[i]
		for head := 1; head < len(halves[0].Heads.Heads); head++ {
			a := halves[0].Heads.ValueOf(head, s.rows, idf, s.style)
			b := halves[1].Heads.ValueOf(head, s.rows, idf, s.style)
			sum += float64((a-b)*(a-b)) / predict.One / predict.One
			n++
		}
	}
	return math.Sqrt(sum / n)
}

// levelError returns how far the success rates of models are from those that their ability
// suggests.
func levelError(c *predict.Collection, samples []sample, models []predict.Model) float64 {
	rates, sum := successRates(samples), 0.0
	for _, m := range models {
		if rate, ok := rates[m.Name]; ok {
			expected := 1 / (1 + math.Exp(-float64(c.Base+c.Slope*m.Ability)/predict.One))
			sum += (rate - expected) * (rate - expected)
		}
	}
	return math.Sqrt(sum / float64(len(rates)))
}

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
	// models are the only ones that get heads. Nil means all.
	models map[string]bool
}

// train learns weights from a corpus.
func train(c *corpus) *predict.Weights {
	w := &predict.Weights{Style: predict.StyleNames(), IDF: documentFrequencies(append(slices.Clone(c.samples), c.everyday))}
	abilities, slopes := rateCorpus(c)
	index := map[string]int{}
	for _, name := range slices.Sorted(maps.Keys(abilities)) {
		index[name] = len(w.Models)
		w.Models = append(w.Models, predict.Model{Name: name, Ability: int64(math.Round(abilities[name]))})
	}
	for i, samples := range c.samples {
		f := collectionFit{src: c.sources[i], samples: samples, rates: successRates(samples), index: index, abilities: abilities, slope: slopes[i], idf: w.IDF, models: c.models}
		w.Collections = append(w.Collections, f.fit())
	}
	fitMembership(w, c)
	return w
}

// rateCorpus returns the abilities of models, and the slope of each collection: the mean of
// those of its panels, weighted by their models.
func rateCorpus(c *corpus) (abilities map[string]float64, slopes []float64) {
	var panels []map[string]float64
	var owners []int
	for i, samples := range c.samples {
		for _, rates := range byPanel(successRates(samples), len(c.sources[i].parts)) {
			if len(rates) > 0 {
				panels, owners = append(panels, rates), append(owners, i)
			}
		}
	}
	abilities, lines := rateModels(panels)
	sums, weights := make([]float64, len(c.samples)), make([]float64, len(c.samples))
	for p, owner := range owners {
		sums[owner] += lines[p].slope * float64(len(panels[p]))
		weights[owner] += float64(len(panels[p]))
	}
	for i := range sums {
		slopes = append(slopes, sums[i]/weights[i])
	}
	return abilities, slopes
}

func byPanel(rates map[arm]float64, panels int) []map[string]float64 {
	all := make([]map[string]float64, max(panels, 1))
	for i := range all {
		all[i] = map[string]float64{}
	}
	for a, rate := range rates {
		all[a.panel][a.model] = rate
	}
	return all
}

func successRates(samples []sample) map[arm]float64 {
	sums, counts := map[arm]float64{}, map[arm]float64{}
	for _, s := range samples {
		for a, score := range s.outcomes {
			sums[a] += score
			counts[a]++
		}
	}
	for a := range sums {
		sums[a] /= counts[a]
	}
	return sums
}

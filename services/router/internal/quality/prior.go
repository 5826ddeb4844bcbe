package quality

import (
	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/policy"
)

// prior is what a model is taken to reach on a topic. A model that was measured
// in every topic has each on a scale of its own, so its figure is first put on
// that of general, and then taken half, as one topic alone says little. What
// else is written of a topic stands as it is; what is not is taken from general.
func (p *Priors) prior(m *policy.Model, topic string) (int64, bool) {
	general, rated := m.Quality[General]
	of, written := m.Quality[topic]
	switch {
	case !rated && !written:
		return 0, false
	case !written:
		of = general
	case rated && measured(m.Quality):
		of = (general + of - p.above[topic]) / 2
	}
	return min(max(of, 0), full), true
}

func measured(quality map[string]int64) bool {
	for _, topic := range topics() {
		if _, ok := quality[topic]; !ok {
			return false
		}
	}
	return true
}

// scales compares the means of the topics with that of general, over the models
// that have them all.
func scales(cat *catalog.Catalog) map[string]int64 {
	sums, n := map[string]int64{}, int64(0)
	for _, m := range cat.Models() {
		if measured(m.Quality) {
			n++
			for topic, q := range m.Quality {
				sums[topic] += q
			}
		}
	}
	above := map[string]int64{}
	for _, topic := range topics() {
		if n > 0 {
			above[topic] = (sums[topic] - sums[General]) / n
		}
	}
	return above
}

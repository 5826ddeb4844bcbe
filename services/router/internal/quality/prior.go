package quality

import (
	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/policy"
)

// topicPrior returns the expected quality of a model on a topic. A model with
// figures for every topic has each on a scale of its own. So its figure is first
// moved to the scale of general and then averaged with the general figure, because
// one topic alone says little. Other stated figures are used as they are. A
// missing topic uses general.
func (p *Priors) topicPrior(m *policy.Model, topic string) (int64, bool) {
	general, rated := m.Quality[General]
	of, written := m.Quality[topic]
	switch {
	case !rated && !written:
		return 0, false
	case !written:
		of = general
	case rated && hasAllTopics(m.Quality):
		of = (general + of - p.topicOffsets[topic]) / 2
	}
	return min(max(of, 0), maxQuality), true
}

func hasAllTopics(quality map[string]int64) bool {
	for _, topic := range topics() {
		if _, ok := quality[topic]; !ok {
			return false
		}
	}
	return true
}

// topicOffsets returns the mean of each topic minus that of general, over the
// models with figures for every topic.
func topicOffsets(cat *catalog.Catalog) map[string]int64 {
	sums, n := map[string]int64{}, int64(0)
	for _, m := range cat.Models() {
		if hasAllTopics(m.Quality) {
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

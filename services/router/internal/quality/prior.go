package quality

import (
	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/policy"
	"github.com/signalbox/signalbox/pkg/topic"
)

// topicPrior returns the prior of a model: its expected quality on a topic before the
// request is considered. If the model has no figure for the topic, the prior is its
// figure for the topic "general".
//
// A model with figures for every topic was rated per topic, and ratings of different
// topics have different means. For such a model topicPrior first subtracts the topic's
// offset: how much the mean of the topic exceeds the mean of "general". It then averages
// the result with the general figure, because the rating of one topic is not reliable.
func (p *Priors) topicPrior(m *policy.Model, kind string) (int64, bool) {
	general, rated := m.Quality[topic.General]
	figure, written := m.Quality[kind]
	switch {
	case !rated && !written:
		return 0, false
	case !written:
		figure = general
	case rated && hasAllTopics(m.Quality):
		figure = (general + figure - p.topicOffsets[kind]) / 2
	}
	return min(max(figure, 0), maxQuality), true
}

func hasAllTopics(quality map[string]int64) bool {
	for _, kind := range topic.All() {
		if _, ok := quality[kind]; !ok {
			return false
		}
	}
	return true
}

// topicOffsets returns the mean of each topic minus the mean of the topic "general".
// It uses only the models with figures for every topic.
func topicOffsets(cat *catalog.Catalog) map[string]int64 {
	sums, n := map[string]int64{}, int64(0)
	for _, m := range cat.Models() {
		if hasAllTopics(m.Quality) {
			n++
			for kind, q := range m.Quality {
				sums[kind] += q
			}
		}
	}
	above := map[string]int64{}
	for _, kind := range topic.All() {
		if n > 0 {
			above[kind] = (sums[kind] - sums[topic.General]) / n
		}
	}
	return above
}

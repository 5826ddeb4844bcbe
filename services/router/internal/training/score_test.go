package training

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/services/router/internal/enrich"
	"github.com/signalbox/signalbox/services/router/internal/predict"
)

// ratedCollection returns a collection in which two models have outcomes.
func ratedCollection(strong, weak float64, staticGap int64) predict.Collection {
	rate := func(model int, share float64) predict.Head {
		return predict.Head{Model: model, Rate: int64(share * predict.One)}
	}
	return predict.Collection{StaticGap: staticGap, Heads: predict.Block{Heads: []predict.Head{{Model: -1}, rate(0, strong), rate(1, weak)}}}
}

// A text that is outside gets the level of the pair, so that being outside alone does not order
// it before or after the texts that are inside.
func TestTextsOutsideGetTheLevelOfThePair(t *testing.T) {
	cat, err := catalog.Load()
	require.NoError(t, err)
	unrated := ratedCollection(0, 0, 900_000)
	unrated.Heads.Heads = unrated.Heads.Heads[:1]
	w := &predict.Weights{
		Models:      []predict.Model{{Name: "strong", Ability: 430}, {Name: "weak", Ability: 250}},
		Collections: []predict.Collection{unrated, ratedCollection(0.9, 0.8, 220_000), ratedCollection(0.7, 0.4, 180_000)},
	}
	s := &scorer{predictor: predict.FromWeights(w, "test"), reader: newReader(cat)}
	const text = "?"
	static := s.reader.staticGap(s.reader.priors.Difficulty(enrich.ReadFeatures(nil, s.reader.features, text)))
	gap, similarity := s.score(Pair{Strong: "strong", Weak: "weak"}, text)
	require.Zero(t, similarity)
	require.InDelta(t, static, gap, 1e-4, "the mean gaps, 0.1 and 0.3, equal the static ones")
	w.Collections[2].Heads.Heads[2].Rate = predict.One * 6 / 10
	gap, _ = s.score(Pair{Strong: "strong", Weak: "weak"}, text)
	require.InDelta(t, static-0.1, gap, 1e-4)
	gap, _ = s.score(Pair{Strong: "unknown", Weak: "other"}, text)
	require.NotEqual(t, static, gap, "abilities give the level of models without outcomes")
}

// Package quality predicts how well each model would serve a request, from 0 to 1000.
// The router can then choose a cheap model where it is good enough. Priors uses
// the features of the request and prior knowledge about the models. It never sees the
// text. Package decide chooses the model.
package quality

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/pkg/policy"
	"github.com/signalbox/signalbox/pkg/topic"
	"github.com/signalbox/signalbox/services/router/internal/features"
	"github.com/signalbox/signalbox/services/router/internal/predict"
)

// Priors predicts from the quality that catalog and policy state for a model, and
// from the topic and difficulty of the request:
//
//	p = the model's prior for the topic (see topicPrior), from 0 to 1000
//	d = the difficulty, from -1000 to 1000; 0 is the difficulty of the benchmarks behind p
//	d <= 0:  p + (1000-p) * -d / 1000
//	d >  0:  p - p * (1000-p) * d / 1000000
//
// An easy request moves the prediction of every model closer to 1000. A hard request
// reduces the prediction most for priors near 500. The prediction never falls with a
// higher prior and never rises with a harder request.
type Priors struct {
	// effects are sorted by feature.
	effects []effect
	// topicOffsets holds the mean of each topic minus the mean of the topic "general",
	// among the catalog's models with figures for every topic.
	topicOffsets map[string]int64
	// learned is nil if nothing learned applies.
	learned *predict.Predictor
	version string
}

// NewPriors returns a predictor with the topic offsets of a catalog. Requests that resemble
// what learned was trained on get its predictions, with the prior as the model's ability.
// learned may be nil.
func NewPriors(cat *catalog.Catalog, learned *predict.Predictor) *Priors {
	p := &Priors{effects: difficultyEffects(), topicOffsets: topicOffsets(cat), learned: learned}
	// The hash does not cover the formulas and the conditions of Topic. The hashed text
	// therefore starts with a number. Increase the number when one of them changes.
	hash := sha256.Sum256(fmt.Appendf(nil, "3 %v %v %v %v %v %s", p.effects, difficultyConstants(), topic.All(), p.topicOffsets, features.Version, cat.Version()))
	slices.SortStableFunc(p.effects, func(a, b effect) int { return strings.Compare(a.feature, b.feature) })
	p.version = "priors-" + hex.EncodeToString(hash[:6])
	if learned != nil {
		p.version += "+" + learned.Version()
	}
	return p
}

// Version identifies the predictor and all data that its results depend on: the effects,
// the features and the catalog.
func (p *Priors) Version() string { return p.version }

// Predict appends the predicted quality of each model, from 0 to 1000, to values. values
// must be empty. The result is sorted by model id. It leaves out models without known
// quality. Predict is safe for concurrent use. Calls of the same version with the same
// arguments return the same result.
func (p *Priors) Predict(values, features decide.NamedValues, models []*policy.Model) decide.NamedValues {
	kind, difficulty := topic.Of(features), p.Difficulty(features)
	values = slices.Grow(values, len(models))
	for _, m := range models {
		if prior, ok := p.topicPrior(m, kind); ok {
			values = append(values, decide.NamedValue{Name: m.ID, Value: p.mixLearned(features, prior, applyDifficulty(prior, difficulty))})
		}
	}
	return values.SortUnique()
}

// mixLearned mixes a prediction with the learned one, as far as the request resembles what
// was learned.
func (p *Priors) mixLearned(f decide.NamedValues, prior, predicted int64) int64 {
	if p.learned == nil {
		return predicted
	}
	learned, similarity := p.learned.FromFeatures(f, prior)
	return (learned*similarity + predicted*(predict.Inside-similarity)) / predict.Inside
}

const maxQuality = 1000

func applyDifficulty(prior, difficulty int64) int64 {
	if difficulty <= 0 {
		return prior + (maxQuality-prior)*-difficulty/maxQuality
	}
	return (prior*maxQuality*maxQuality - prior*(maxQuality-prior)*difficulty) / (maxQuality * maxQuality)
}

// AtDifficulty returns the predicted quality of a model with a prior at a difficulty.
func (p *Priors) AtDifficulty(prior, difficulty int64) int64 {
	return applyDifficulty(prior, difficulty)
}

// Package quality predicts how well models would answer a request, in
// thousandths, so that a cheap one is chosen where it is good enough. What it
// goes by are the features of the request and what is known of a model before
// anything is learned; it never sees the text. Which model is then taken is
// pkg/decide's affair. The router's engine uses it.
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
	"github.com/signalbox/signalbox/services/router/internal/features"
)

// Predictor predicts qualities.
type Predictor interface {
	// Predict adds to an empty list what the models would reach on a request
	// with these features, from 0 to 1000, by their ids. A model of which nothing
	// is known is not in it. It is safe for concurrent use, and the same for the
	// same arguments as long as the version is the same.
	Predict(all, features decide.Numbers, models []*policy.Model) decide.Numbers
	// Version names the predictor with all that its answers depend on.
	Version() string
}

// Priors predicts from the quality that catalog and policy give a model, by the
// topic and the difficulty of the request:
//
//	p = the model's prior for the topic (see prior), from 0 to 1000
//	d = the difficulty, from -1000 to 1000; 0 is as hard as what the prior was measured on
//	d <= 0:  p + (1000-p) * -d / 1000
//	d >  0:  p - p * (1000-p) * d / 1000000
//
// An easy request brings every model nearer to 1000, a hard one takes most from
// those in the middle. A better prior never predicts less, and a harder request
// never more.
type Priors struct {
	// effects are in the order of their features.
	effects []effect
	// above is by how much a topic's mean is above that of general among the
	// models of the catalog that were measured in every topic.
	above   map[string]int64
	version string
}

// NewPriors takes the scales of the topics from a catalog.
func NewPriors(cat *catalog.Catalog) *Priors {
	p := &Priors{effects: effects(), above: scales(cat)}
	// The formulas have no constants that could be listed; their version is the
	// number in front.
	hash := sha256.Sum256(fmt.Appendf(nil, "1 %v %v %v %v %s", p.effects, base, topics(), features.Version, cat.Version()))
	slices.SortStableFunc(p.effects, func(a, b effect) int { return strings.Compare(a.feature, b.feature) })
	p.version = "priors-" + hex.EncodeToString(hash[:6])
	return p
}

// Version changes with the constants, the features and the catalog.
func (p *Priors) Version() string { return p.version }

// Predict applies the formula to every model.
func (p *Priors) Predict(all, features decide.Numbers, models []*policy.Model) decide.Numbers {
	topic, difficulty := Topic(features), p.Difficulty(features)
	all = slices.Grow(all, len(models))
	for _, m := range models {
		if prior, ok := p.prior(m, topic); ok {
			all = append(all, decide.Number{Name: m.ID, Value: adjust(prior, difficulty)})
		}
	}
	return all.Sorted()
}

const full = 1000

func adjust(prior, difficulty int64) int64 {
	if difficulty <= 0 {
		return prior + (full-prior)*-difficulty/full
	}
	return (prior*full*full - prior*(full-prior)*difficulty) / (full * full)
}

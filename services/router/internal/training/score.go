package training

import (
	"github.com/signalbox/signalbox/services/router/internal/enrich"
	"github.com/signalbox/signalbox/services/router/internal/predict"
)

// scorer scores how much a prompt needs the strong model of a pair.
type scorer struct {
	predictor *predict.Predictor
	reader    *reader
	scratch   predict.Scratch
}

// score returns the predicted gap between two models on a text, and the similarity of the
// text to what was learned. Outside of it the gap is the one of nominal models, shifted to the
// level of the pair: otherwise a text would seem to need the strong model more or less only
// because it is outside.
func (s *scorer) score(pair Pair, text string) (gap float64, similarity int64) {
	f := enrich.ReadFeatures(nil, s.reader.features, text)
	strong, weak := s.candidates(pair)
	typical, nominal := s.predictor.TypicalGaps(strong, weak)
	static := s.reader.staticGap(s.reader.priors.Difficulty(f)) + float64(typical-nominal)/1e6
	r := s.predictor.ReadPair(&s.scratch, f, text, strong, weak)
	if r.Similarity == 0 {
		return static, 0
	}
	learned := float64(r.Gap(strong, weak)) / 1e6
	inside := float64(r.Similarity) / predict.Inside
	return inside*learned + (1-inside)*static, r.Similarity
}

// strongAbility and weakAbility are the abilities of models that no one has rated. They are
// also the nominal models of staticGap.
const (
	strongAbility = 800
	weakAbility   = 550
	// leastAdvantage is how much more able a strong model is at least.
	leastAdvantage = 100
)

// staticGap returns the gap of two nominal models at a difficulty.
func (r *reader) staticGap(difficulty int64) float64 {
	return float64(r.priors.AtDifficulty(strongAbility, difficulty)-r.priors.AtDifficulty(weakAbility, difficulty)) / 1000
}

// candidates returns the models of a pair. If none of them has outcomes, they get nominal
// abilities. The strong model is always the more able one.
func (s *scorer) candidates(pair Pair) (strong, weak predict.Candidate) {
	strong, weak = s.candidate(pair.Strong, 400), s.candidate(pair.Weak, 250)
	if strong.Ability < weak.Ability+leastAdvantage {
		strong.Ability = weak.Ability + leastAdvantage
	}
	return strong, weak
}

func (s *scorer) candidate(name string, unrated int64) predict.Candidate {
	c := predict.Candidate{Model: s.predictor.Lookup(name), Ability: unrated}
	if c.Model >= 0 {
		c.Ability = s.predictor.Ability(c.Model)
	}
	return c
}

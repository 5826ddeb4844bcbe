package quality

import (
	"strings"

	"github.com/signalbox/signalbox/pkg/decide"
)

// baseDifficulty is the difficulty of a request without special features. Most
// requests are easier than the benchmarks on which the models were rated.
const baseDifficulty = -250

// greetingDifficulty is the difficulty of a greeting, which every model can handle.
const greetingDifficulty = -950

// A request is trivial if it has at most trivialWords words, states no task, asks neither why nor
// how, and nothing adds to the difficulty of a short text. Nearly every model can handle it.
const (
	trivialDifficulty = -870
	trivialWords      = 9
	// mostTrivialSum is baseDifficulty and the effects of the length of a short text.
	mostTrivialSum = -320
)

// effect is the influence of a feature on the difficulty. If the value of the
// feature is at least minValue, the effect is points + value*perThousand/1000,
// limited to ±maxPoints. Several effects of one feature add up.
type effect struct {
	feature                        string
	minValue                       int64
	points, perThousand, maxPoints int64
}

// difficultyEffects returns estimates that were made by hand, not learned from data.
func difficultyEffects() []effect {
	return []effect{
		{"length", 1, -150, 0, 150}, {"length", 2, 80, 0, 80}, {"length", 3, 90, 0, 90},
		{"length", 4, 80, 0, 80}, {"length", 5, 80, 0, 80},
		{"maths", 100, 0, 1_000, 200}, {"numbers", 4, 40, 0, 40},
		{"code", 100, 0, 150, 150}, {"code_words", 1, 0, 20_000, 100}, {"trace", 1, 80, 0, 80},
		{"reasoning", 1, 0, 25_000, 150}, {"negations", 1, 20, 0, 20},
		{"task_fix", 1, 80, 0, 80}, {"task_implement", 1, 100, 0, 100}, {"task_solve", 1, 120, 0, 120},
		{"task_plan", 1, 60, 0, 60}, {"task_compare", 1, 40, 0, 40},
		{"task_translate", 1, -100, 0, 100}, {"task_summarise", 1, -100, 0, 100}, {"task_classify", 1, -80, 0, 80},
		{"task_extract", 1, -80, 0, 80}, {"task_rewrite", 1, -100, 0, 100},
		{"wants_steps", 1, 60, 0, 60}, {"wants_long", 1, 50, 0, 50},
		{"wants_json", 1, 30, 0, 30}, {"wants_table", 1, 30, 0, 30},
		{"legal", 2, 80, 0, 80},
		{"language", 2, 50, 0, 50}, {"non_latin", 300, 50, 0, 50},
		{"turns", 2, 0, 15_000, 150}, {"tools", 1, 150, 0, 150}, {"images", 1, 100, 0, 100},
		// Further lines are mostly material, which makes a text long but no task hard. Code
		// and lists of demands do.
		{"lines", 2, -100, 0, 100}, {"list_items", 2, 80, 0, 80}, {"code", 100, 100, 0, 100},
		{"text_bytes", 8_000, 80, 0, 80}, {"text_bytes", 40_000, 80, 0, 80},
	}
}

// difficultyConstants returns every constant that the difficulty depends on, for the
// version of the predictor.
func difficultyConstants() map[string]int64 {
	return map[string]int64{
		"baseDifficulty": baseDifficulty, "greetingDifficulty": greetingDifficulty, "maxFeatureValue": maxFeatureValue,
		"maxQuality": maxQuality, "minConversationDifficulty": minConversationDifficulty,
		"trivialDifficulty": trivialDifficulty, "trivialWords": trivialWords, "mostTrivialSum": mostTrivialSum, "maxInstructions": maxInstructions,
	}
}

func (e *effect) pointsFor(value int64) int64 {
	if value < e.minValue {
		return 0
	}
	return min(max(e.points+min(value, maxFeatureValue)*e.perThousand/1000, -e.maxPoints), e.maxPoints)
}

// maxFeatureValue limits a feature value, so that pointsFor does not overflow.
const maxFeatureValue = 1 << 32

// Difficulty returns baseDifficulty plus all effects, from -1000 to 1000. If the text
// was not read, the result is at least 0, the difficulty of the benchmarks. In a
// conversation or with tools the result is at least minConversationDifficulty, because
// a simple last message does not make the request easy. A request that is only a
// greeting has greetingDifficulty, and a trivial one trivialDifficulty.
func (p *Priors) Difficulty(f decide.NamedValues) int64 {
	alone := f.GetOrZero("turns") <= 1 && f.GetOrZero("tools") == 0
	if f.GetOrZero("greeting") > 0 && alone {
		return greetingDifficulty
	}
	sum := baseDifficulty + p.sumEffects(f)
	switch {
	case alone && sum <= mostTrivialSum && isPlain(f):
		sum = trivialDifficulty
	case f.GetOrZero("lexical") == 0:
		sum = max(sum, 0)
	case !alone:
		sum = max(sum, minConversationDifficulty)
	}
	return min(max(sum, -maxQuality), maxQuality)
}

// maxInstructions is how many bytes of system prompt a trivial request can have. Longer ones
// can make a short question hard.
const maxInstructions = 200

// isPlain reports whether a request is a short question or remark on one line, without long
// instructions beside it.
func isPlain(f decide.NamedValues) bool {
	if f.GetOrZero("text_bytes")-f.GetOrZero("user_bytes") > maxInstructions {
		return false
	}
	for _, one := range f {
		if strings.HasPrefix(one.Name, "task_") || one.Name == "asks_why" || one.Name == "asks_how" {
			return false
		}
	}
	words := f.GetOrZero("words")
	return words > 0 && words <= trivialWords && f.GetOrZero("lines") <= 1
}

// sumEffects adds up the effects of all features. Both lists are sorted by feature, so
// one pass is enough.
func (p *Priors) sumEffects(f decide.NamedValues) (sum int64) {
	effects := p.effects
	for _, one := range f {
		for len(effects) > 0 && effects[0].feature < one.Name {
			effects = effects[1:]
		}
		for len(effects) > 0 && effects[0].feature == one.Name {
			sum += effects[0].pointsFor(one.Value)
			effects = effects[1:]
		}
	}
	return sum
}

// minConversationDifficulty is the minimum difficulty of a conversation, even if its
// last message looks easy.
const minConversationDifficulty = -100

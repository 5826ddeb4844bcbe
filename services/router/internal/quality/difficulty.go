package quality

import "github.com/signalbox/signalbox/pkg/decide"

// base is the difficulty of a request of which nothing special is known: what
// people ask is mostly easier than what models are measured on.
const base = -250

// greeted is the difficulty of a greeting; every model can answer one.
const greeted = -950

// effect is what a feature does to the difficulty from some value on: so much,
// and for each thousand of the value so much more, at most up to the limit.
type effect struct {
	feature           string
	from              int64
	points, per, most int64
}

// effects are estimates, made by hand; a predictor that learns will have better
// ones.
func effects() []effect {
	return []effect{
		{"length", 1, -150, 0, 150}, {"length", 2, 80, 0, 80}, {"length", 3, 90, 0, 90},
		{"length", 4, 80, 0, 80}, {"length", 5, 80, 0, 80},
		{"maths", 100, 0, 350, 350}, {"latex", 1, 60, 0, 60}, {"numbers", 4, 40, 0, 40},
		{"code", 100, 0, 150, 150}, {"code_words", 1, 0, 20_000, 100}, {"trace", 1, 80, 0, 80},
		{"options", 3, 100, 0, 100}, {"reasoning", 1, 0, 25_000, 150}, {"negations", 1, 20, 0, 20},
		{"asks_why", 1, 30, 0, 30}, {"questions", 3, 40, 0, 40},
		{"task_fix", 1, 80, 0, 80}, {"task_implement", 1, 100, 0, 100}, {"task_solve", 1, 120, 0, 120},
		{"task_plan", 1, 60, 0, 60}, {"task_compare", 1, 40, 0, 40},
		{"task_translate", 1, -100, 0, 100}, {"task_summarise", 1, -100, 0, 100}, {"task_classify", 1, -80, 0, 80},
		{"task_extract", 1, -80, 0, 80}, {"task_rewrite", 1, -100, 0, 100},
		{"wants_steps", 1, 60, 0, 60}, {"wants_long", 1, 50, 0, 50}, {"wants_words", 300, 60, 0, 60},
		{"wants_json", 1, 30, 0, 30}, {"wants_table", 1, 30, 0, 30}, {"wants_short", 1, -40, 0, 40},
		{"legal", 2, 80, 0, 80}, {"medical", 2, 80, 0, 80}, {"finance", 2, 60, 0, 60},
		{"language", 2, 50, 0, 50}, {"non_latin", 300, 50, 0, 50},
		{"turns", 2, 0, 15_000, 150}, {"tools", 1, 150, 0, 150}, {"images", 1, 100, 0, 100},
		{"text_bytes", 8_000, 80, 0, 80}, {"text_bytes", 40_000, 80, 0, 80},
	}
}

// of is what the effect makes of a value.
func (e *effect) of(value int64) int64 {
	if value < e.from {
		return 0
	}
	return min(max(e.points+min(value, largest)*e.per/1000, -e.most), e.most)
}

// largest keeps the product of any value far from overflow.
const largest = 1 << 32

// Difficulty adds the effects up, from -1000 to 1000. Where the text was not
// read the request counts as at least as hard as what models are measured on,
// and where more than one short question was asked the last message does not
// tell that it is easy.
func (p *Priors) Difficulty(f decide.Numbers) int64 {
	alone := f.Of("turns") <= 1 && f.Of("tools") == 0
	if f.Of("greeting") > 0 && alone {
		return greeted
	}
	sum := base + p.sum(f)
	switch {
	case f.Of("lexical") == 0:
		sum = max(sum, 0)
	case !alone:
		sum = max(sum, atLeast)
	}
	return min(max(sum, -full), full)
}

// sum goes through features and effects side by side: a feature that is left out
// has none.
func (p *Priors) sum(f decide.Numbers) (sum int64) {
	effects := p.effects
	for _, one := range f {
		for len(effects) > 0 && effects[0].feature < one.Name {
			effects = effects[1:]
		}
		for len(effects) > 0 && effects[0].feature == one.Name {
			sum += effects[0].of(one.Value)
			effects = effects[1:]
		}
	}
	return sum
}

// atLeast is how hard a conversation is, however easy its last message looks.
const atLeast = -100

package gemini

import (
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/services/proxy/internal/jsonscan"
)

// levels are Google's words for efforts. None of its newer models can be told
// not to think at all.
var levels = map[string]string{
	"none": "MINIMAL", "minimal": "MINIMAL", "low": "LOW", "medium": "MEDIUM",
	"high": "HIGH", "xhigh": "HIGH", "max": "HIGH",
}

// budgets are tokens for efforts, as Google's own layer of our format has them.
var budgets = map[string]int64{
	"none": 0, "minimal": 1024, "low": 1024, "medium": 8192,
	"high": 24576, "xhigh": 32768, "max": 32768,
}

// thinkingBudget is the name under which a model's bounds are known.
const thinkingBudget = "thinking_budget"

// effort says how hard to think. A client that asks for it is shown the
// thoughts, too.
func (s *settings) effort(d *draft, v jsontext.Value) {
	word := string(jsonscan.Text(v))
	wanted := word != "none"
	if to, ok := d.wire.Values["reasoning_effort"][word]; ok {
		word = to
	}
	if word == "" {
		d.drop("reasoning_effort")
		return
	}
	level, ok := levels[word]
	if !ok {
		d.refuse("reasoning_effort", "the word is not known")
		return
	}
	s.set("thinkingConfig").open('{')
	if d.wire.Reasoning == catalog.Budget {
		s.key("thinkingBudget").number(within(budgets[word], d.wire.Limits[thinkingBudget]))
	} else {
		s.key("thinkingLevel").quote([]byte(level))
	}
	if wanted {
		s.key("includeThoughts").literal("true")
	}
	s.end('}')
}

func within(n int64, l catalog.Limit) int64 {
	if most, err := strconv.ParseInt(l.Max, 10, 64); err == nil {
		n = min(n, most)
	}
	if least, err := strconv.ParseInt(l.Min, 10, 64); err == nil {
		n = max(n, least)
	}
	return n
}

package gemini

import (
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/jsonscan"
)

// thinkingLevels maps reasoning efforts to Google's thinking levels. "none" maps to the
// lowest level, because the thinking of newer models cannot be disabled.
var thinkingLevels = map[string]string{
	"none": "MINIMAL", "minimal": "MINIMAL", "low": "LOW", "medium": "MEDIUM",
	"high": "HIGH", "xhigh": "HIGH", "max": "HIGH",
}

// thinkingBudgets maps reasoning efforts to tokens. The numbers are those of Google's
// OpenAI-compatible API.
var thinkingBudgets = map[string]int64{
	"none": 0, "minimal": 1024, "low": 1024, "medium": 8192,
	"high": 24576, "xhigh": 32768, "max": 32768,
}

// thinkingBudgetLimit is the key in wire.Limits for the limits of the budget.
const thinkingBudgetLimit = "thinking_budget"

// setEffort sets the thinking level or budget. Unless the effort is "none", it also requests
// the text of the thoughts.
func (s *generationConfig) setEffort(d *requestTranslator, v jsontext.Value) {
	effort := string(jsonscan.DecodeString(v))
	includeThoughts := effort != "none"
	if mapped, ok := d.wire.Values["reasoning_effort"][effort]; ok {
		effort = mapped
	}
	if effort == "" {
		d.reportDropped("reasoning_effort")
		return
	}
	level, ok := thinkingLevels[effort]
	if !ok {
		d.reject("reasoning_effort", `the value must be "none", "minimal", "low", "medium", "high", "xhigh" or "max"`)
		return
	}
	s.startMember("thinkingConfig").open('{')
	if d.wire.Reasoning == catalog.ThinkingBudget {
		s.key("thinkingBudget").number(clampBudget(thinkingBudgets[effort], d.wire.Limits[thinkingBudgetLimit]))
	} else {
		s.key("thinkingLevel").quote([]byte(level))
	}
	if includeThoughts {
		s.key("includeThoughts").literal("true")
	}
	s.close('}')
}

func clampBudget(n int64, l catalog.Limit) int64 {
	if maximum, err := strconv.ParseInt(l.Max, 10, 64); err == nil {
		n = min(n, maximum)
	}
	if minimum, err := strconv.ParseInt(l.Min, 10, 64); err == nil {
		n = max(n, minimum)
	}
	return n
}

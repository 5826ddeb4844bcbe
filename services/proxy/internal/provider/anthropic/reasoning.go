package anthropic

import (
	"strconv"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/services/proxy/internal/jsonscan"
)

const (
	// leastBudget is the smallest that the format takes. A budget is part of
	// the tokens that an answer may have.
	leastBudget = 1024
	// leastWords is what is left of them for the answer itself.
	leastWords = 256
)

// budgets are tokens to think with, by effort. What is no key here is no
// effort.
var budgets = map[string]int64{
	"minimal": leastBudget, "low": leastBudget, "medium": 2048, "high": 4096, "xhigh": 8192, "max": 16384,
}

// Ways to think, in the format's words. Newer models keep their thoughts to
// themselves unless asked.
const (
	thinksFreely   = `{"type":"adaptive","display":"summarized"}`
	thinksNot      = `{"type":"disabled"}`
	effortNone     = "none"
	effortLow      = `"low"`
	reasoningField = "reasoning_effort"
)

// reason settles how hard the model thinks.
func (o *outbound) reason() error {
	effort := o.askedEffort()
	if o.in.thinking != nil {
		o.thinkAsTold(effort)
	}
	if effort == "" {
		return nil
	}
	budget, ok := budgets[effort]
	if !ok && effort != effortNone {
		return unsupported(reasoningField, "it knows none, minimal, low, medium, high, xhigh and max")
	}
	style := o.wire.Reasoning
	if style != catalog.Budget && style != "" && effort != effortNone {
		o.effort = quoted(effort)
		if effort == "minimal" {
			o.effort = []byte(effortLow)
		}
	}
	if o.in.thinking != nil {
		return nil
	}
	switch {
	case style == catalog.Adaptive && effort == effortNone:
		o.thinking = []byte(thinksNot)
	case style == catalog.Adaptive:
		o.thinking, o.thinks = []byte(thinksFreely), true
	case effort != effortNone:
		o.think(budget)
	}
	return nil
}

// askedEffort is the client's word for it, in either of two fields.
func (o *outbound) askedEffort() string {
	if o.in.effort != nil {
		return word(o.in.effort)
	}
	effort := member(o.in.reasoning, "effort")
	if o.in.reasoning != nil && effort == nil {
		o.drop("reasoning")
	}
	return word(o.reworded(reasoningField, effort))
}

// thinkAsTold takes what the client says in the format's own words, and in those
// of the model's generation.
func (o *outbound) thinkAsTold(effort string) {
	kind := word(member(o.in.thinking, "type"))
	adaptive := o.wire.Reasoning == catalog.Adaptive
	switch {
	case kind == "disabled" && o.neverStops():
		o.drop("thinking")
	case kind == "enabled" && adaptive:
		o.drop("thinking.budget_tokens")
		o.thinking, o.thinks = []byte(thinksFreely), true
	case kind == "adaptive" && !adaptive:
		budget, ok := budgets[effort]
		if !ok {
			budget = budgets["medium"]
		}
		o.think(budget)
	default:
		o.thinking, o.thinks = o.in.thinking, kind != "disabled"
	}
}

// neverStops tells whether the model does not take no effort for an answer.
func (o *outbound) neverStops() bool {
	least, reworded := o.wire.Values[reasoningField][effortNone]
	return reworded && least != effortNone
}

// think sets a budget that leaves room for an answer, unless the format refuses
// thinking beside what else is asked: a short answer, a tool that must be
// called, a text to go on with, or the results of calls whose thoughts are not
// at hand.
func (o *outbound) think(budget int64) {
	resumes := o.turns.called && o.turns.answered && !o.turns.thought
	room := o.maxToken - max(o.maxToken/4, leastWords)
	if room < leastBudget || o.forced() || o.turns.role == roleAssistant || resumes {
		o.drop(reasoningField)
		return
	}
	o.thinks = true
	o.thinking = append([]byte(`{"type":"enabled","budget_tokens":`),
		strconv.FormatInt(min(budget, room), 10)+"}"...)
}

// formatName is by what others know whose replay data an entry of
// reasoning_details is.
const formatName = "anthropic-claude-v1"

// replay adds the thoughts that came with a message and are sent back with it.
// They must be as they were: those without a signature are left out, and it is
// told if none is left.
func (o *outbound) replay(m *message) {
	before := len(o.turns.buf)
	o.replayBlocks(m)
	switch {
	case len(o.turns.buf) > before:
	case !isEmpty(m.details):
		o.drop("messages[].reasoning_details")
	case !isEmpty(m.reasoning):
		o.drop("messages[].reasoning_content")
	}
}

func (o *outbound) replayBlocks(m *message) {
	for block := range jsonscan.Elements(m.thinkingBlocks) {
		d := readDetail(block)
		o.thought(&d)
	}
	if m.thinkingBlocks != nil {
		return
	}
	var last detail
	for entry := range jsonscan.Elements(m.details) {
		d := readDetail(entry)
		if last.joins(&d) {
			last.join(&d)
			continue
		}
		o.thought(&last)
		last = d
	}
	o.thought(&last)
}

// thought adds a block of thinking, if d is one.
func (o *outbound) thought(d *detail) {
	b := o.scratch[:0]
	switch {
	case !d.ours():
		return
	case d.kind == "reasoning.text" && len(jsonscan.Text(d.signature)) > 0:
		b = appendMember(append(b, `{"type":"thinking",`...), "thinking", d.words())
		b = appendMember(b, "signature", d.signature)
	case d.kind == "reasoning.encrypted" && len(jsonscan.Text(d.data)) > 0:
		b = appendMember(append(b, `{"type":"redacted_thinking",`...), "data", d.data)
	default:
		return
	}
	o.scratch = closed(b, "},")
	o.turns.block(roleAssistant, o.scratch)
	o.turns.thought = true
}

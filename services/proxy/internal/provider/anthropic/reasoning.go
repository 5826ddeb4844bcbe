package anthropic

import (
	"strconv"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/jsonscan"
)

const (
	// minThinkingBudget is the smallest budget that the Anthropic API accepts. The budget
	// is part of max_tokens.
	minThinkingBudget = 1024
	// minResponseTokens is the minimum part of max_tokens that is not used for thinking.
	minResponseTokens = 256
)

// thinkingBudgets maps reasoning efforts to thinking tokens. The supported efforts are the
// keys of the map, and "none".
var thinkingBudgets = map[string]int64{
	"minimal": minThinkingBudget, "low": minThinkingBudget, "medium": 2048, "high": 4096, "xhigh": 8192, "max": 16384,
}

// adaptiveThinking and disabledThinking are values of the member "thinking". Newer models
// return no thinking unless the request asks for a summary.
const (
	adaptiveThinking = `{"type":"adaptive","display":"summarized"}`
	disabledThinking = `{"type":"disabled"}`
	effortNone       = "none"
	effortLow        = `"low"`
	reasoningField   = "reasoning_effort"
)

// resolveReasoning decides whether and how much the model thinks.
func (o *requestTranslator) resolveReasoning() error {
	effort := o.requestedEffort()
	if o.fields.thinking != nil {
		o.applyNativeThinking(effort)
	}
	if effort == "" {
		return nil
	}
	budget, ok := thinkingBudgets[effort]
	if !ok && effort != effortNone {
		return unsupportedError(reasoningField, `the value must be "none", "minimal", "low", "medium", "high", "xhigh" or "max"`)
	}
	style := o.wire.Reasoning
	if style != catalog.ThinkingBudget && style != "" && effort != effortNone {
		o.effort = quoteString(effort)
		if effort == "minimal" {
			o.effort = []byte(effortLow)
		}
	}
	if o.fields.thinking != nil {
		return nil
	}
	switch {
	case style == catalog.AdaptiveThinking && effort == effortNone:
		o.thinking = []byte(disabledThinking)
	case style == catalog.AdaptiveThinking:
		o.thinking, o.thinkingEnabled = []byte(adaptiveThinking), true
	case effort != effortNone:
		o.setThinkingBudget(budget)
	}
	return nil
}

// requestedEffort returns the effort from reasoning_effort or reasoning.effort.
func (o *requestTranslator) requestedEffort() string {
	if o.fields.reasoningEffort != nil {
		return stringValue(o.fields.reasoningEffort)
	}
	effort := jsonscan.Member(o.fields.reasoning, "effort")
	if o.fields.reasoning != nil && jsonscan.IsNull(effort) {
		o.reportDropped("reasoning")
	}
	return stringValue(o.adaptValue(reasoningField, effort))
}

// applyNativeThinking uses the client's member "thinking", which is already in the
// Messages format. A model supports either adaptive thinking or a token budget. If the
// member has the other form, applyNativeThinking converts it. If the member disables
// thinking and the model always thinks, the member is dropped.
func (o *requestTranslator) applyNativeThinking(effort string) {
	kind := stringValue(jsonscan.Member(o.fields.thinking, "type"))
	adaptive := o.wire.Reasoning == catalog.AdaptiveThinking
	switch {
	case kind == "disabled" && o.alwaysThinks():
		o.reportDropped("thinking")
	case kind == "enabled" && adaptive:
		o.reportDropped("thinking.budget_tokens")
		o.thinking, o.thinkingEnabled = []byte(adaptiveThinking), true
	case kind == "adaptive" && !adaptive:
		budget, ok := thinkingBudgets[effort]
		if !ok {
			budget = thinkingBudgets["medium"]
		}
		o.setThinkingBudget(budget)
	default:
		o.thinking, o.thinkingEnabled = o.fields.thinking, kind != "disabled"
	}
}

// alwaysThinks reports whether the thinking of the model cannot be disabled.
func (o *requestTranslator) alwaysThinks() bool {
	replacement, replaced := o.wire.Values[reasoningField][effortNone]
	return replaced && replacement != effortNone
}

// setThinkingBudget enables thinking and leaves tokens for the response. In four cases
// thinking is not possible, and reasoning_effort is reported as dropped:
//   - max_tokens is too small.
//   - tool_choice requires a tool call.
//   - The conversation ends with an assistant turn, which the model continues.
//   - The last tool calls have results, but their turn has no thinking.
func (o *requestTranslator) setThinkingBudget(budget int64) {
	missingThinking := o.turns.hasToolCalls && o.turns.hasToolResults && !o.turns.hasThinking
	available := o.maxTokens - max(o.maxTokens/4, minResponseTokens)
	if available < minThinkingBudget || o.mustCallTool() || o.turns.role == roleAssistant || missingThinking {
		o.reportDropped(reasoningField)
		return
	}
	o.thinkingEnabled = true
	o.thinking = append([]byte(`{"type":"enabled","budget_tokens":`),
		strconv.FormatInt(min(budget, available), 10)+"}"...)
}

// reasoningFormat marks the entries of reasoning_details that contain Anthropic's thinking.
// It is the value of their member "format". Other gateways use the same value.
const reasoningFormat = "anthropic-claude-v1"

// replayThinking adds the thinking that the client sent back with a message. The upstream
// accepts only unchanged thinking that is signed or encrypted, so any other thinking is
// omitted. If all thinking is omitted, reasoning_details or reasoning_content is reported as
// dropped.
func (o *requestTranslator) replayThinking(m *message) {
	before := len(o.turns.buf)
	o.replayThinkingBlocks(m)
	switch {
	case len(o.turns.buf) > before:
	case !isEmpty(m.details):
		o.reportDropped("messages[].reasoning_details")
	case !isEmpty(m.reasoning):
		o.reportDropped("messages[].reasoning_content")
	}
}

func (o *requestTranslator) replayThinkingBlocks(m *message) {
	for block := range jsonscan.Elements(m.thinkingBlocks) {
		d := parseReasoningDetail(block)
		o.addThinkingBlock(&d)
	}
	if m.thinkingBlocks != nil {
		return
	}
	var last reasoningDetail
	for entry := range jsonscan.Elements(m.details) {
		d := parseReasoningDetail(entry)
		if last.continuesWith(&d) {
			last.appendPiece(&d)
			continue
		}
		o.addThinkingBlock(&last)
		last = d
	}
	o.addThinkingBlock(&last)
}

// addThinkingBlock adds d to the assistant's turn if the upstream accepts it.
func (o *requestTranslator) addThinkingBlock(d *reasoningDetail) {
	b := o.scratch[:0]
	switch {
	case !d.isAnthropicFormat():
		return
	case d.kind == "reasoning.text" && len(jsonscan.DecodeString(d.signature)) > 0:
		b = appendMember(append(b, `{"type":"thinking",`...), "thinking", d.textValue())
		b = appendMember(b, "signature", d.signature)
	case d.kind == "reasoning.encrypted" && len(jsonscan.DecodeString(d.data)) > 0:
		b = appendMember(append(b, `{"type":"redacted_thinking",`...), "data", d.data)
	default:
		return
	}
	o.scratch = closeWith(b, "},")
	o.turns.appendBlock(roleAssistant, o.scratch)
	o.turns.hasThinking = true
}

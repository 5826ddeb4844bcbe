package anthropic

import (
	"fmt"
	"slices"
	"strings"

	"github.com/signalbox/signalbox/pkg/testkit/emulate/server"
)

// conversation reads and validates the messages in order. Its methods return an error message, or an empty
// string.
type conversation struct {
	request *messagesRequest
	model   claude
	ask     *server.Prompt
	// open contains the ids of the tool calls whose results the next message must contain.
	open []string
	last string
}

func (v *conversation) readMessages() string {
	system, problem := parseBlocks(v.request.System, "system")
	if problem != "" {
		return problem
	}
	for i, b := range system {
		if b.Type != "text" || strings.TrimSpace(b.Text) == "" {
			return fmt.Sprintf("system.%d: text content blocks must be non-empty", i)
		}
		v.ask.AddText("system", b.Text)
		addBreakpoint(v.ask, b.CacheControl)
	}
	for i, m := range v.request.Messages {
		if problem := v.readMessage(i, m); problem != "" {
			return problem
		}
	}
	if len(v.open) > 0 {
		return v.missingResultsError(fmt.Sprintf("messages.%d", len(v.request.Messages)-1))
	}
	return v.checkPrefill()
}

func (v *conversation) readMessage(i int, m messagesMessage) string {
	at := fmt.Sprintf("messages.%d", i)
	switch {
	case m.Role == "system" && v.model.acceptsSystemMessages() && i > 0:
	case m.Role != "user" && m.Role != "assistant":
		return at + ".role: Input should be 'user' or 'assistant'"
	case v.last == "" && m.Role != "user":
		return "messages: first message must use the \"user\" role"
	case v.last == m.Role:
		return fmt.Sprintf("messages: roles must alternate between \"user\" and \"assistant\", but found multiple \"%s\" roles in a row", m.Role)
	}
	list, problem := parseBlocks(m.Content, at+".content")
	if problem != "" {
		return problem
	}
	if len(list) == 0 && (m.Role != "assistant" || i < len(v.request.Messages)-1) {
		return at + ": all messages must have non-empty content except for the optional final assistant message"
	}
	if m.Role != "system" {
		v.last = m.Role
	}
	return v.readBlocks(at, m.Role, list)
}

func (v *conversation) readBlocks(at, role string, list []block) string {
	open, results, said := v.open, []string(nil), []string(nil)
	if role == "assistant" {
		v.open = nil
	}
	for i, b := range list {
		here := fmt.Sprintf("%s.content.%d", at, i)
		if b.Type == "tool_result" {
			if !slices.Contains(open, b.ToolUseID) || len(said) > 0 {
				return fmt.Sprintf("%s: unexpected `tool_use_id` found in `tool_result` blocks: %s. Each `tool_result` block must have a corresponding `tool_use` block in the previous message.", here, b.ToolUseID)
			}
			open = slices.DeleteFunc(slices.Clone(open), func(id string) bool { return id == b.ToolUseID })
			results = append(results, b.readToolResult())
			v.ask.AddText("result", b.readToolResult())
		} else if problem := v.readBlock(here, role, b, &said); problem != "" {
			return problem
		}
		if b.CacheControl != nil && b.CacheControl.Type != "ephemeral" {
			return here + ".cache_control.type: Input should be 'ephemeral'"
		}
		addBreakpoint(v.ask, b.CacheControl)
	}
	if role == "user" {
		if v.open = open; len(open) > 0 {
			return v.missingResultsError(at)
		}
		v.ask.LastText, v.ask.Results = strings.Join(said, " "), results
	}
	return v.checkThinking(at, role, list)
}

// checkThinking checks that an assistant message with tool calls starts with its thinking block. Anthropic
// requires this if thinking is enabled with a budget.
func (v *conversation) checkThinking(at, role string, list []block) string {
	t := v.request.Thinking
	if role != "assistant" || len(v.open) == 0 || t == nil || t.Type != "enabled" || strings.HasSuffix(list[0].Type, "thinking") {
		return ""
	}
	return fmt.Sprintf("%s.content.0.type: Expected `thinking` or `redacted_thinking`, but found `%s`. When `thinking` is enabled, a final `assistant` message must start with a thinking block (preceeding the lastmost set of `tool_use` and `tool_result` blocks).", at, list[0].Type)
}

func (v *conversation) missingResultsError(at string) string {
	return fmt.Sprintf("%s: `tool_use` ids were found without `tool_result` blocks immediately after: %s. Each `tool_use` block must have a corresponding `tool_result` block in the next message.", at, strings.Join(v.open, ", "))
}

// checkPrefill checks a conversation that ends with an assistant message.
func (v *conversation) checkPrefill() string {
	if v.last != "assistant" {
		return ""
	}
	if !v.model.acceptsPrefill() || v.request.wantsThinking() {
		return "This model does not support assistant message prefill. The conversation must end with a user message."
	}
	list, _ := parseBlocks(v.request.Messages[len(v.request.Messages)-1].Content, "")
	if len(list) > 0 && list[len(list)-1].Text != strings.TrimRight(list[len(list)-1].Text, " \t\n") {
		return "messages: final assistant content cannot end with trailing whitespace"
	}
	return ""
}

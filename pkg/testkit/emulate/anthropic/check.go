package anthropic

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/signalbox/signalbox/pkg/testkit/emulate/server"
)

// check validates the fields of the request, but not the content of the messages. It returns an error
// message, or an empty string.
func (r *messagesRequest) check(m claude) string {
	for _, rule := range []func(claude) string{r.checkSampling, r.checkThinking, r.checkOutput, r.checkTools} {
		if problem := rule(m); problem != "" {
			return problem
		}
	}
	switch {
	case r.Messages == nil:
		return "messages: Field required"
	case len(r.Messages) == 0:
		return "messages: at least one message is required"
	case r.MaxTokens != nil && *r.MaxTokens < 1:
		return "max_tokens: Input should be greater than or equal to 1"
	case slices.ContainsFunc(r.StopSequences, func(s string) bool { return strings.TrimSpace(s) == "" }):
		return "stop_sequences: each stop sequence must contain non-whitespace"
	}
	return ""
}

func (r *messagesRequest) checkSampling(m claude) string {
	switch {
	case r.Temperature != nil && m.rejectsSampling():
		return "`temperature` is deprecated for this model."
	case r.TopP != nil && m.rejectsSampling():
		return "`top_p` is deprecated for this model."
	case r.TopK != nil && m.rejectsSampling():
		return "`top_k` is deprecated for this model."
	case r.Temperature != nil && (*r.Temperature < 0 || *r.Temperature > 1):
		return "temperature: range: 0..1"
	case r.TopP != nil && (*r.TopP < 0 || *r.TopP > 1):
		return "top_p: range: 0..1"
	case r.Temperature != nil && r.TopP != nil && m.version >= 41:
		return "`temperature` and `top_p` cannot both be specified for this model. Please use only one."
	case r.Temperature != nil && *r.Temperature != 1 && r.wantsThinking():
		return "`temperature` may only be set to 1 when thinking is enabled or in adaptive mode."
	}
	return ""
}

func (r *messagesRequest) checkThinking(m claude) string {
	t := r.Thinking
	if t == nil {
		return ""
	}
	switch t.Type {
	case "disabled":
		if !m.canDisableThinking() {
			return "thinking.type.disabled is not supported for this model."
		}
		return ""
	case "adaptive":
		if !m.thinksAdaptively() {
			return "adaptive thinking is not supported on this model"
		}
		return ""
	case "enabled":
	default:
		return "thinking: Input tag '" + t.Type + "' found using 'type' does not match any of the expected tags: 'adaptive', 'disabled', 'enabled'"
	}
	switch {
	case !m.acceptsThinkingBudget():
		return "\"thinking.type.enabled\" is not supported for this model. Use \"thinking.type.adaptive\" and \"output_config.effort\" to control thinking behavior."
	case t.Budget == nil:
		return "thinking.enabled.budget_tokens: Field required"
	case *t.Budget < 1024:
		return "thinking.enabled.budget_tokens: Input should be greater than or equal to 1024"
	case r.MaxTokens != nil && *r.MaxTokens <= *t.Budget:
		return "`max_tokens` must be greater than `thinking.budget_tokens`. Please consult our documentation at https://docs.claude.com/en/docs/build-with-claude/extended-thinking#max-tokens-and-context-window-size"
	case r.ToolChoice != nil && (r.ToolChoice.Type == "any" || r.ToolChoice.Type == "tool"):
		return "Thinking may not be enabled when tool_choice forces tool use."
	}
	return ""
}

func (r *messagesRequest) checkOutput(m claude) string {
	o := r.OutputConfig
	switch {
	case o == nil:
		return ""
	case o.Effort != "" && !m.acceptsEffort():
		return "This model does not support the effort parameter."
	case o.Effort != "" && !slices.Contains(strings.Fields("low medium high xhigh max"), o.Effort):
		return "output_config.effort: Input should be 'low', 'medium', 'high', 'xhigh' or 'max'"
	case r.Thinking != nil && r.Thinking.Type == "disabled" && m.version >= 50 && (o.Effort == "xhigh" || o.Effort == "max"):
		return "thinking.type.disabled is not supported with this effort."
	case o.Format == nil:
		return ""
	case !m.acceptsSchema():
		return "output_config.format: Structured outputs are not supported on this model."
	case o.Format.Type != "json_schema":
		return "output_config.format.type: Input should be 'json_schema'"
	}
	if problem := findUnsupportedKeyword(o.Format.Schema, 0); problem != "" {
		return "output_config.format.schema: " + problem
	}
	return ""
}

// unsupportedKeywords are the keywords that schemas of responses and strict tools must not contain.
var unsupportedKeywords = strings.Fields("minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength maxItems uniqueItems oneOf not if then else patternProperties propertyNames contains minProperties maxProperties")

// findUnsupportedKeyword returns an error message if Anthropic does not support a part of the schema.
// Otherwise it returns an empty string.
func findUnsupportedKeyword(raw json.RawMessage, depth int) string {
	var keywords map[string]json.RawMessage
	if depth > server.MaxDepth || json.Unmarshal(raw, &keywords) != nil {
		return ""
	}
	for _, name := range unsupportedKeywords {
		if _, ok := keywords[name]; ok {
			return fmt.Sprintf("For '%s' type, property '%s' is not supported", server.DecodeString(keywords["type"]), name)
		}
	}
	if server.DecodeString(keywords["type"]) == "object" && string(keywords["additionalProperties"]) != "false" {
		return "For 'object' type, 'additionalProperties' must be explicitly set to false"
	}
	for _, below := range []string{"properties", "$defs", "definitions"} {
		var members map[string]json.RawMessage
		_ = json.Unmarshal(keywords[below], &members)
		for _, m := range members {
			if problem := findUnsupportedKeyword(m, depth+1); problem != "" {
				return problem
			}
		}
	}
	var alternatives []json.RawMessage
	_ = json.Unmarshal(keywords["anyOf"], &alternatives)
	for _, one := range append(alternatives, keywords["items"]) {
		if problem := findUnsupportedKeyword(one, depth+1); problem != "" {
			return problem
		}
	}
	return ""
}

func (r *messagesRequest) checkTools(claude) string {
	names := map[string]bool{}
	for i, t := range r.Tools {
		if t.Type != "" && t.Type != "custom" {
			continue
		}
		var s server.Schema
		switch {
		case !server.IsValidName(t.Name, 128):
			return fmt.Sprintf("tools.%d.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'", i)
		case names[t.Name]:
			return "tools: Tool names must be unique."
		case len(t.InputSchema) == 0:
			return fmt.Sprintf("tools.%d.custom.input_schema: Field required", i)
		case json.Unmarshal(t.InputSchema, &s) != nil || server.DecodeString(s.Type) != "object":
			return fmt.Sprintf("tools.%d.custom.input_schema.type: Input should be 'object'", i)
		case t.Strict != nil && *t.Strict && findUnsupportedKeyword(t.InputSchema, 0) != "":
			return fmt.Sprintf("tools.%d.custom: %s", i, findUnsupportedKeyword(t.InputSchema, 0))
		}
		names[t.Name] = true
	}
	switch c := r.ToolChoice; {
	case c == nil:
	case len(r.Tools) == 0:
		return "tool_choice may only be specified while providing tools."
	case !slices.Contains(strings.Fields("auto any tool none"), c.Type):
		return "tool_choice: Input tag '" + c.Type + "' found using 'type' does not match any of the expected tags: 'auto', 'any', 'tool', 'none'"
	case c.Type == "tool" && !names[c.Name]:
		return fmt.Sprintf("Tool '%s' not found in provided tools", c.Name)
	case c.Type == "none" && c.Disabled:
		return "tool_choice.none.disable_parallel_tool_use: Extra inputs are not permitted"
	}
	return ""
}

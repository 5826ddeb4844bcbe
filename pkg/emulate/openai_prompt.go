package emulate

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// prompt reads and validates the conversation.
func (r *chatRequest) prompt(model string) (*prompt, *problem) {
	thinks, optional := reasons(model)
	ask := &prompt{
		max: max(0, r.most()), stops: r.stops(),
		think: thinks && r.ReasoningEffort != "none" && (r.ReasoningEffort != "" || !optional),
	}
	if r.N != nil {
		ask.answers = *r.N
	}
	if f := r.ResponseFormat; f != nil {
		ask.object = f.Type == "json_object"
		if f.Type == "json_schema" {
			ask.schema = f.Schema.Schema
		}
	}
	for _, t := range r.Tools {
		ask.tools = append(ask.tools, tool{t.Function.Name, t.Function.Parameters})
		ask.read("tool", t.Function.Name+t.Function.Description+string(t.Function.Parameters))
	}
	ask.choice = r.choice()
	return ask, r.converse(ask)
}

func (r *chatRequest) choice() choice {
	var named struct {
		Function struct {
			Name string `json:"name"`
		} `json:"function"`
	}
	word := text(r.ToolChoice)
	c := choice{never: word == "none", must: word == "required", single: r.Parallel != nil && !*r.Parallel}
	if json.Unmarshal(r.ToolChoice, &named) == nil && named.Function.Name != "" {
		c.must, c.only = true, []string{named.Function.Name}
	}
	return c
}

func (r *chatRequest) converse(ask *prompt) *problem {
	var open []string
	for i, m := range r.Messages {
		if !slices.Contains(strings.Fields("developer system user assistant tool function"), m.Role) {
			return invalid(fmt.Sprintf("messages[%d].role", i), "invalid_value", "Invalid value: '%s'. Supported values are: 'system', 'assistant', 'user', 'function', 'tool', and 'developer'.", m.Role)
		}
		if m.Role == "tool" {
			if !slices.Contains(open, m.ToolCallID) {
				return invalid(fmt.Sprintf("messages.[%d].role", i), "", "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.")
			}
			open = slices.DeleteFunc(open, func(id string) bool { return id == m.ToolCallID })
		} else if len(open) > 0 {
			break
		}
		said, p := m.said(i, ask)
		if p != nil {
			return p
		}
		ask.hear(m.Role, said)
		for _, t := range m.ToolCalls {
			open = append(open, t.ID)
			ask.read("call", t.Function.Name+t.Function.Arguments)
		}
	}
	if len(open) > 0 {
		return invalid("messages", "", "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: %s", strings.Join(open, ", "))
	}
	return nil
}

// hear adds a message and remembers the last one from the user.
func (p *prompt) hear(role, said string) {
	p.read(role, said)
	switch role {
	case "tool":
		p.results = append(p.results, said)
	case "user":
		p.last, p.results = said, nil
	case "assistant":
		p.results = nil
	}
}

// said returns a message's text; attachments are counted.
func (m *chatMessage) said(i int, ask *prompt) (string, *problem) {
	at := fmt.Sprintf("messages.[%d].content", i)
	switch kindOf(m.Content) {
	case "string":
		return text(m.Content), nil
	case "array":
		return m.parts(i, ask)
	case "", "null":
		if m.Role == "assistant" && (len(m.ToolCalls) > 0 || len(m.FunctionCall) > 0 || m.Refusal != nil) {
			return "", nil
		}
		return "", invalid(at, "", "Invalid value for 'content': expected a string, got null.")
	}
	return "", invalid(at, "invalid_type", "Invalid type for '%s': expected one of a string or array of objects.", at)
}

func (m *chatMessage) parts(i int, ask *prompt) (string, *problem) {
	var list []chatPart
	at := fmt.Sprintf("messages[%d].content", i)
	if field, unknown, err := decode(m.Content, &list); err != nil {
		if unknown {
			return "", invalid(at+"."+field, "unknown_parameter", "Unknown parameter: '%s.%s'.", at, field)
		}
		return "", invalid(at, "invalid_type", "Invalid type for '%s'.", at)
	}
	var said []string
	for k, part := range list {
		switch part.Type {
		case "text", "refusal":
			said = append(said, part.Text+part.Refusal)
		case "image_url":
			if part.ImageURL == nil || !strings.HasPrefix(part.ImageURL.URL, "data:image/") && !strings.HasPrefix(part.ImageURL.URL, "http") {
				return "", invalid(fmt.Sprintf("%s[%d].image_url.url", at, k), "invalid_image_url", "Invalid image URL. Expected a base64-encoded data URL with an image MIME type or an http(s) URL.")
			}
			ask.media++
		case "input_audio", "file":
			ask.media++
		default:
			return "", invalid(fmt.Sprintf("%s[%d].type", at, k), "invalid_value", "Invalid value: '%s'. Supported values are: 'text', 'image_url', 'input_audio', 'refusal', 'audio', and 'file'.", part.Type)
		}
	}
	return strings.Join(said, " "), nil
}

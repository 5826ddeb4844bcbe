package emulate

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// readPrompt converts the request to a prompt and validates the messages.
func (r *chatRequest) readPrompt(model string) (*prompt, *problem) {
	thinks, optional := canThink(model)
	ask := &prompt{
		maxOutput: max(0, r.outputLimit()), stops: r.stopSequences(),
		think: thinks && r.ReasoningEffort != "none" && (r.ReasoningEffort != "" || !optional),
	}
	if r.N != nil {
		ask.responses = *r.N
	}
	if f := r.ResponseFormat; f != nil {
		ask.wantsObject = f.Type == "json_object"
		if f.Type == "json_schema" {
			ask.schema = f.Schema.Schema
		}
	}
	for _, t := range r.Tools {
		ask.tools = append(ask.tools, tool{t.Function.Name, t.Function.Parameters})
		ask.addText("tool", t.Function.Name+t.Function.Description+string(t.Function.Parameters))
	}
	ask.choice = r.toolChoice()
	return ask, r.readConversation(ask)
}

func (r *chatRequest) toolChoice() choice {
	var named struct {
		Function struct {
			Name string `json:"name"`
		} `json:"function"`
	}
	word := decodeString(r.ToolChoice)
	c := choice{noTools: word == "none", required: word == "required", oneCall: r.Parallel != nil && !*r.Parallel}
	if json.Unmarshal(r.ToolChoice, &named) == nil && named.Function.Name != "" {
		c.required, c.allowed = true, []string{named.Function.Name}
	}
	return c
}

func (r *chatRequest) readConversation(ask *prompt) *problem {
	var open []string
	for i, m := range r.Messages {
		if !slices.Contains(strings.Fields("developer system user assistant tool function"), m.Role) {
			return invalidFieldError(fmt.Sprintf("messages[%d].role", i), "invalid_value", "Invalid value: '%s'. Supported values are: 'system', 'assistant', 'user', 'function', 'tool', and 'developer'.", m.Role)
		}
		if m.Role == "tool" {
			if !slices.Contains(open, m.ToolCallID) {
				return invalidFieldError(fmt.Sprintf("messages.[%d].role", i), "", "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.")
			}
			open = slices.DeleteFunc(open, func(id string) bool { return id == m.ToolCallID })
		} else if len(open) > 0 {
			break
		}
		said, p := m.readText(i, ask)
		if p != nil {
			return p
		}
		ask.addMessage(m.Role, said)
		for _, t := range m.ToolCalls {
			open = append(open, t.ID)
			ask.addText("call", t.Function.Name+t.Function.Arguments)
		}
	}
	if len(open) > 0 {
		return invalidFieldError("messages", "", "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: %s", strings.Join(open, ", "))
	}
	return nil
}

// addMessage adds a message. It keeps the text of the last user message, and the tool results after the
// last user or assistant message.
func (p *prompt) addMessage(role, said string) {
	p.addText(role, said)
	switch role {
	case "tool":
		p.results = append(p.results, said)
	case "user":
		p.lastText, p.results = said, nil
	case "assistant":
		p.results = nil
	}
}

// readText returns the text of message i. It adds the number of attachments to ask.mediaCount.
func (m *chatMessage) readText(i int, ask *prompt) (string, *problem) {
	at := fmt.Sprintf("messages.[%d].content", i)
	switch jsonType(m.Content) {
	case "string":
		return decodeString(m.Content), nil
	case "array":
		return m.readParts(i, ask)
	case "", "null":
		if m.Role == "assistant" && (len(m.ToolCalls) > 0 || len(m.FunctionCall) > 0 || m.Refusal != nil) {
			return "", nil
		}
		return "", invalidFieldError(at, "", "Invalid value for 'content': expected a string, got null.")
	}
	return "", invalidFieldError(at, "invalid_type", "Invalid type for '%s': expected one of a string or array of objects.", at)
}

func (m *chatMessage) readParts(i int, ask *prompt) (string, *problem) {
	var list []chatPart
	at := fmt.Sprintf("messages[%d].content", i)
	if field, unknown, err := decodeStrict(m.Content, &list); err != nil {
		if unknown {
			return "", invalidFieldError(at+"."+field, "unknown_parameter", "Unknown parameter: '%s.%s'.", at, field)
		}
		return "", invalidFieldError(at, "invalid_type", "Invalid type for '%s'.", at)
	}
	var said []string
	for k, part := range list {
		switch part.Type {
		case "text", "refusal":
			said = append(said, part.Text+part.Refusal)
		case "image_url":
			if part.ImageURL == nil || !strings.HasPrefix(part.ImageURL.URL, "data:image/") && !strings.HasPrefix(part.ImageURL.URL, "http") {
				return "", invalidFieldError(fmt.Sprintf("%s[%d].image_url.url", at, k), "invalid_image_url", "Invalid image URL. Expected a base64-encoded data URL with an image MIME type or an http(s) URL.")
			}
			ask.mediaCount++
		case "input_audio", "file":
			ask.mediaCount++
		default:
			return "", invalidFieldError(fmt.Sprintf("%s[%d].type", at, k), "invalid_value", "Invalid value: '%s'. Supported values are: 'text', 'image_url', 'input_audio', 'refusal', 'audio', and 'file'.", part.Type)
		}
	}
	return strings.Join(said, " "), nil
}

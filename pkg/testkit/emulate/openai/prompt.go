package openai

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/signalbox/signalbox/pkg/testkit/emulate/server"
)

// readPrompt validates the request and converts it to a prompt.
func (r *chatRequest) readPrompt(model string) (*server.Prompt, *server.Problem) {
	ask, p := r.readSettings(model)
	if p != nil {
		return nil, p
	}
	return ask, r.readConversation(ask)
}

// readSettings validates the request and converts everything but the messages to a prompt.
func (r *chatRequest) readSettings(model string) (*server.Prompt, *server.Problem) {
	if p := r.check(model); p != nil {
		return nil, p
	}
	thinks, optional := canThink(model)
	ask := &server.Prompt{
		MaxOutput: max(0, r.outputLimit()), Stops: r.stopSequences(),
		Think: thinks && r.ReasoningEffort != "none" && (r.ReasoningEffort != "" || !optional),
	}
	if r.N != nil {
		ask.Responses = *r.N
	}
	if f := r.ResponseFormat; f != nil {
		ask.WantsObject = f.Type == "json_object"
		if f.Type == "json_schema" {
			ask.Schema = f.Schema.Schema
		}
	}
	for _, t := range r.Tools {
		ask.Tools = append(ask.Tools, server.Tool{Name: t.Function.Name, Schema: t.Function.Parameters})
		ask.AddText("tool", t.Function.Name+t.Function.Description+string(t.Function.Parameters))
	}
	ask.Choice = r.toolChoice()
	return ask, nil
}

func (r *chatRequest) toolChoice() server.Choice {
	var named struct {
		Function struct {
			Name string `json:"name"`
		} `json:"function"`
	}
	word := server.DecodeString(r.ToolChoice)
	c := server.Choice{Never: word == "none", Must: word == "required", Single: r.Parallel != nil && !*r.Parallel}
	if json.Unmarshal(r.ToolChoice, &named) == nil && named.Function.Name != "" {
		c.Must, c.Only = true, []string{named.Function.Name}
	}
	return c
}

func (r *chatRequest) readConversation(ask *server.Prompt) *server.Problem {
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
		addMessage(ask, m.Role, said)
		for _, t := range m.ToolCalls {
			open = append(open, t.ID)
			ask.AddCall(t.Function.Name, t.Function.Arguments)
		}
	}
	if len(open) > 0 {
		return invalidFieldError("messages", "", "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: %s", strings.Join(open, ", "))
	}
	return nil
}

// addMessage adds a message. It remembers the text of the last user message and the tool results after it.
func addMessage(p *server.Prompt, role, said string) {
	p.AddText(role, said)
	switch role {
	case "tool":
		p.Results = append(p.Results, said)
	case "user":
		p.LastText, p.Results = said, nil
	case "assistant":
		p.Results = nil
	}
}

// readText returns the text of message i. It counts attachments in ask.
func (m *chatMessage) readText(i int, ask *server.Prompt) (string, *server.Problem) {
	at := fmt.Sprintf("messages.[%d].content", i)
	switch server.JSONType(m.Content) {
	case "string":
		return server.DecodeString(m.Content), nil
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

func (m *chatMessage) readParts(i int, ask *server.Prompt) (string, *server.Problem) {
	var list []chatPart
	at := fmt.Sprintf("messages[%d].content", i)
	if field, unknown, err := server.DecodeStrict(m.Content, &list); err != nil {
		if unknown {
			return "", invalidFieldError(at+"."+field, "unknown_parameter", "Unknown parameter: '%s.%s'.", at, field)
		}
		return "", invalidFieldError(at, "invalid_type", "Invalid type for '%s'.", at)
	}
	var said []string
	for k, part := range list {
		if part.Type == "image_url" && m.Role != "user" {
			return "", invalidFieldError(fmt.Sprintf("messages[%d]", i), "invalid_value", "Invalid 'messages[%d]'. Image URLs are only allowed for messages with role 'user', but this message with role '%s' contains an image URL.", i, m.Role)
		}
		switch part.Type {
		case "text", "refusal":
			said = append(said, part.Text+part.Refusal)
		case "image_url":
			if part.ImageURL == nil || !strings.HasPrefix(part.ImageURL.URL, "data:image/") && !strings.HasPrefix(part.ImageURL.URL, "http") {
				return "", invalidFieldError(fmt.Sprintf("%s[%d].image_url.url", at, k), "invalid_image_url", "Invalid image URL. Expected a base64-encoded data URL with an image MIME type or an http(s) URL.")
			}
			ask.MediaCount++
		case "input_audio", "file":
			ask.MediaCount++
		default:
			return "", invalidFieldError(fmt.Sprintf("%s[%d].type", at, k), "invalid_value", "Invalid value: '%s'. Supported values are: 'text', 'image_url', 'input_audio', 'refusal', 'audio', and 'file'.", part.Type)
		}
	}
	return strings.Join(said, " "), nil
}

package tracing

import (
	"encoding/json"
	"slices"

	"go.opentelemetry.io/otel/attribute"

	"github.com/signalbox/signalbox/pkg/requestbody"
	"github.com/signalbox/signalbox/services/proxy/internal/ledger"
)

// contentAttributes returns the content that the record captured, so that the capture setting of the
// account and the key, and its redaction, apply here too. Chat completions have the form of the
// conventions, if the captured text is complete. Other content is as it was captured.
func contentAttributes(r *ledger.Record) []attribute.KeyValue {
	input, output := "", ""
	if r.Protocol == requestbody.ChatCompletions {
		input = formatMessages(r.Request, func(b *chatBody) []chatMessage { return b.Messages })
		output = formatMessages(r.Response, (*chatBody).answers)
	}
	request := r.Request
	if r.RequestEnd != nil {
		request = slices.Concat(r.Request, r.AppendGap(nil), r.RequestEnd)
	}
	all := appendEither(nil, inputMessages, input, requestContent, request)
	return appendEither(all, outputMessages, output, responseContent, r.Response)
}

// appendEither appends the messages or, without them, the captured text, so that a span contains no
// text twice.
func appendEither(all []attribute.KeyValue, key attribute.Key, messages string, captured attribute.Key, text []byte) []attribute.KeyValue {
	if messages != "" {
		return append(all, key.String(messages))
	}
	return appendText(all, captured, string(text))
}

// chatBody is the part of a chat request or response that becomes messages.
type chatBody struct {
	Messages []chatMessage
	Choices  []struct {
		Message      chatMessage
		FinishReason string `json:"finish_reason"`
	}
}

func (b *chatBody) answers() []chatMessage {
	out := make([]chatMessage, len(b.Choices))
	for i, c := range b.Choices {
		out[i] = c.Message
		out[i].finishReason = c.FinishReason
	}
	return out
}

type chatMessage struct {
	Role      string
	Content   json.RawMessage
	ToolCalls []struct {
		ID       string
		Function struct{ Name, Arguments string }
	} `json:"tool_calls"`
	finishReason string
}

// message and part have the JSON form of the conventions.
type message struct {
	Role         string `json:"role"`
	Parts        []part `json:"parts"`
	FinishReason string `json:"finish_reason,omitempty"`
}

type part struct {
	Type      string `json:"type"`
	Content   string `json:"content,omitempty"`
	ID        string `json:"id,omitempty"`
	Name      string `json:"name,omitempty"`
	Arguments string `json:"arguments,omitempty"`
}

// formatMessages returns "" if the text was cut, because it is no JSON then.
func formatMessages(body []byte, find func(*chatBody) []chatMessage) string {
	var b chatBody
	if json.Unmarshal(body, &b) != nil {
		return ""
	}
	var all []message
	for _, m := range find(&b) {
		all = append(all, message{Role: m.Role, Parts: m.parts(), FinishReason: m.finishReason})
	}
	if len(all) == 0 {
		return ""
	}
	text, err := json.Marshal(all)
	if err != nil {
		return ""
	}
	return string(text)
}

// parts omits the data of images and files, of which only the type is kept.
func (m *chatMessage) parts() []part {
	var text string
	var many []struct{ Type, Text string }
	all := []part{}
	if json.Unmarshal(m.Content, &text) == nil && text != "" {
		all = append(all, part{Type: "text", Content: text})
	} else if json.Unmarshal(m.Content, &many) == nil {
		for _, p := range many {
			all = append(all, part{Type: p.Type, Content: p.Text})
		}
	}
	for _, c := range m.ToolCalls {
		all = append(all, part{Type: "tool_call", ID: c.ID, Name: c.Function.Name, Arguments: c.Function.Arguments})
	}
	return all
}

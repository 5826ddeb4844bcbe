package sandbox

import (
	"errors"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/pkg/apperr"
)

// chatBody is what the sandbox reads of a chat request.
type chatBody struct {
	Messages []message      `json:"messages"`
	Tools    []tool         `json:"tools"`
	Choice   jsontext.Value `json:"tool_choice"`
	Parallel *bool          `json:"parallel_tool_calls"`
	Format   format         `json:"response_format"`
	Script   jsontext.Value `json:"x_sandbox"`
}

type message struct {
	Role    string         `json:"role"`
	Content jsontext.Value `json:"content"`
}

type tool struct {
	Function struct {
		Name       string         `json:"name"`
		Parameters jsontext.Value `json:"parameters"`
	} `json:"function"`
}

type format struct {
	Type   string `json:"type"`
	Schema struct {
		Schema jsontext.Value `json:"schema"`
	} `json:"json_schema"`
}

// text is the message's text; parts that are no text are passed over.
func (m message) text() string {
	var s string
	if json.Unmarshal(m.Content, &s) == nil {
		return s
	}
	var parts []struct {
		Text string `json:"text"`
	}
	if json.Unmarshal(m.Content, &parts) != nil {
		return ""
	}
	texts := make([]string, 0, len(parts))
	for _, p := range parts {
		if p.Text != "" {
			texts = append(texts, p.Text)
		}
	}
	return strings.Join(texts, " ")
}

// last is the message to answer: the last of the caller or of a tool.
func (b *chatBody) last() message {
	for i := len(b.Messages) - 1; i >= 0; i-- {
		if r := b.Messages[i].Role; r == "user" || r == "tool" {
			return b.Messages[i]
		}
	}
	return message{}
}

// decode fills v and reports what does not fit as a fault of the caller's,
// naming the field below the one called at.
func decode(data []byte, v any, at string, opts ...json.Options) error {
	err := json.Unmarshal(data, v, opts...)
	if err == nil {
		return nil
	}
	param, what := at, "has a wrong type"
	if e, ok := errors.AsType[*json.SemanticError](err); ok {
		param = path(at, e.JSONPointer)
		if errors.Is(e.Err, json.ErrUnknownName) {
			what = "is unknown"
		}
	}
	return invalid(param, what).Because(err)
}

func path(at string, p jsontext.Pointer) string {
	tokens := []string{}
	if at != "" {
		tokens = append(tokens, at)
	}
	for t := range p.Tokens() {
		tokens = append(tokens, t)
	}
	return strings.Join(tokens, ".")
}

func invalid(param, what string) *apperr.Error {
	return apperr.New(apperr.InvalidRequest, param+" "+what).With("param", param)
}

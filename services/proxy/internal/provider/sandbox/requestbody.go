package sandbox

import (
	"errors"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/pkg/apperr"
)

// chatRequest holds the members of a chat request that the sandbox reads.
type chatRequest struct {
	Messages       []message      `json:"messages"`
	Tools          []tool         `json:"tools"`
	ToolChoice     jsontext.Value `json:"tool_choice"`
	Parallel       *bool          `json:"parallel_tool_calls"`
	ResponseFormat responseFormat `json:"response_format"`
	Script         jsontext.Value `json:"x_sandbox"`
}

func (b *chatRequest) script() jsontext.Value { return b.Script }

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

type responseFormat struct {
	Type   string `json:"type"`
	Schema struct {
		Schema jsontext.Value `json:"schema"`
	} `json:"json_schema"`
}

// textContent returns the text of the message, without parts of other types.
func (m message) textContent() string {
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

func (b *chatRequest) lastInput() message {
	for _, m := range slices.Backward(b.Messages) {
		if m.Role == "user" || m.Role == "tool" {
			return m
		}
	}
	return message{}
}

// decodeField decodes data into v. at is the name of the field that contains data. If a
// member does not fit, decodeField returns INVALID_REQUEST with the path of the member.
func decodeField(data []byte, v any, at string, opts ...json.Options) error {
	err := json.Unmarshal(data, v, opts...)
	if err == nil {
		return nil
	}
	param, what := at, "has the wrong type"
	if e, ok := errors.AsType[*json.SemanticError](err); ok {
		param = joinPath(at, e.JSONPointer)
		if errors.Is(e.Err, json.ErrUnknownName) {
			what = "is not a known field"
		}
	}
	return invalidParam(param, what).WithCause(err)
}

func joinPath(at string, p jsontext.Pointer) string {
	path := strings.Join(slices.Collect(p.Tokens()), ".")
	if at == "" || path == "" {
		return at + path
	}
	return at + "." + path
}

func invalidParam(param, what string) *apperr.Error {
	return apperr.New(apperr.InvalidRequest, param+" "+what).With("param", param)
}

package policyjson

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/signalbox/signalbox/pkg/requestbody"
)

type parseBody func([]byte) (*requestbody.Request, error)

// protocolEmbeddings is the name of the API for embeddings, which has no protocol of its own.
const protocolEmbeddings = "embeddings"

// Protocols returns the names that ParseQuestionOrBody takes.
func Protocols() []string {
	return []string{string(requestbody.ChatCompletions), string(requestbody.Messages), string(requestbody.Responses), string(requestbody.Gemini), protocolEmbeddings}
}

// bodyParser returns the parser of a protocol. It returns nil if the fields are not those of
// a request body, but of a question.
func bodyParser(protocol string, fields map[string]json.RawMessage) (parseBody, error) {
	if protocol == "" {
		protocol = guessProtocol(fields)
	}
	switch protocol {
	case "":
		return nil, nil
	case string(requestbody.ChatCompletions):
		return requestbody.ParseChat, nil
	case string(requestbody.Messages):
		return requestbody.ParseMessages, nil
	case string(requestbody.Responses):
		return requestbody.ParseResponses, nil
	case string(requestbody.Gemini):
		return parseGemini, nil
	case protocolEmbeddings:
		return requestbody.ParseEmbeddings, nil
	}
	return nil, fmt.Errorf("unknown protocol %q: use one of %s", protocol, strings.Join(Protocols(), ", "))
}

// guessProtocol returns the protocol whose fields a body has, or "" for a question.
func guessProtocol(fields map[string]json.RawMessage) string {
	switch {
	case fields["contents"] != nil:
		return string(requestbody.Gemini)
	case fields["messages"] != nil && looksLikeMessages(fields):
		return string(requestbody.Messages)
	case fields["messages"] != nil:
		return string(requestbody.ChatCompletions)
	case fields["input"] != nil && looksLikeResponses(fields):
		return string(requestbody.Responses)
	case fields["input"] != nil:
		return protocolEmbeddings
	}
	return ""
}

// looksLikeMessages reports whether a body with messages has parts that Anthropic's API has and
// chat completions does not have.
func looksLikeMessages(fields map[string]json.RawMessage) bool {
	if hasAny(fields, "system", "stop_sequences", "thinking", "anthropic_version", "mcp_servers", "context_management") {
		return true
	}
	return bytes.Contains(fields["tools"], []byte(`"input_schema"`)) ||
		bytes.Contains(fields["messages"], []byte(`"tool_result"`)) || bytes.Contains(fields["messages"], []byte(`"tool_use"`))
}

// looksLikeResponses reports whether a body with an input is for the Responses API, and not
// for embeddings. A list of texts or tokens is for embeddings.
func looksLikeResponses(fields map[string]json.RawMessage) bool {
	if hasAny(fields, "dimensions", "encoding_format") {
		return false
	}
	if hasAny(fields, "instructions", "max_output_tokens", "reasoning", "text", "tools", "tool_choice", "store", "stream",
		"previous_response_id", "conversation", "include", "truncation", "temperature", "prompt_cache_key", "parallel_tool_calls") {
		return true
	}
	var items []json.RawMessage
	return json.Unmarshal(fields["input"], &items) == nil && len(items) > 0 && bytes.HasPrefix(bytes.TrimSpace(items[0]), []byte("{"))
}

func hasAny(fields map[string]json.RawMessage, names ...string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return fields[name] != nil })
}

// parseGemini parses a body whose model is a member, because there is no path.
func parseGemini(body []byte) (*requestbody.Request, error) {
	var named struct {
		Model  string `json:"model"`
		Stream bool   `json:"stream"`
	}
	if err := json.Unmarshal(body, &named); err != nil {
		return nil, err
	}
	return requestbody.ParseGenerateContent(body, strings.TrimPrefix(named.Model, "models/"), named.Stream)
}

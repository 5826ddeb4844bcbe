package openai

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/signalbox/signalbox/pkg/scripted"
	"github.com/signalbox/signalbox/pkg/testkit/emulate/server"
)

// responsesRequest has the fields of OpenAI's Responses API. Ignored fields are not validated.
type responsesRequest struct {
	Model           string          `json:"model"`
	Input           json.RawMessage `json:"input"`
	Instructions    *string         `json:"instructions"`
	MaxOutputTokens *int64          `json:"max_output_tokens"`
	Temperature     *float64        `json:"temperature"`
	TopP            *float64        `json:"top_p"`
	TopLogprobs     *int            `json:"top_logprobs"`
	Tools           []responsesTool `json:"tools"`
	ToolChoice      json.RawMessage `json:"tool_choice"`
	Parallel        *bool           `json:"parallel_tool_calls"`
	Text            *struct {
		Format    *responsesFormat `json:"format"`
		Verbosity string           `json:"verbosity"`
	} `json:"text"`
	Reasoning struct {
		Effort  string  `json:"effort"`
		Summary *string `json:"summary"`
	} `json:"reasoning"`
	Store         *bool           `json:"store"`
	Include       []string        `json:"include"`
	Stream        bool            `json:"stream"`
	StreamOptions json.RawMessage `json:"stream_options"`
	User          string          `json:"user"`

	Metadata             json.RawMessage `json:"metadata"`
	ServiceTier          json.RawMessage `json:"service_tier"`
	SafetyIdentifier     json.RawMessage `json:"safety_identifier"`
	PromptCacheKey       json.RawMessage `json:"prompt_cache_key"`
	PromptCacheRetention json.RawMessage `json:"prompt_cache_retention"`
	PromptCacheOptions   json.RawMessage `json:"prompt_cache_options"`
	Moderation           json.RawMessage `json:"moderation"`
	Truncation           json.RawMessage `json:"truncation"`
	ClientMetadata       json.RawMessage `json:"client_metadata"`
}

type responsesFormat struct {
	Type        string          `json:"type"`
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Schema      json.RawMessage `json:"schema"`
	Strict      *bool           `json:"strict"`
}

// encryptedContent is the value of include that requests encrypted reasoning.
const encryptedContent = "reasoning.encrypted_content"

// minOutputTokens is the smallest value of max_output_tokens.
const minOutputTokens = 16

// isResponsesOnly reports whether a model exists only in the Responses API.
func isResponsesOnly(model string) bool {
	isOurs := strings.HasPrefix(model, "gpt-") || strings.HasPrefix(model, "o")
	return isOurs && (strings.HasSuffix(model, "-pro") || strings.Contains(model, "codex") || strings.Contains(model, "deep-research"))
}

func (o dialect) serveResponses(c *server.Call, w writer) (scripted.Response, *server.Problem) {
	var r responsesRequest
	if p := decodeBody(c, &r); p != nil {
		return scripted.Response{}, p
	}
	c.Stream = r.Stream
	if p := checkModel(c, r.Model, w); p != nil {
		return scripted.Response{}, p
	}
	ask, p := r.readPrompt(c.Model)
	if p == nil {
		p = c.ApplyTextDirectives(ask.LastText)
	}
	if p != nil {
		return scripted.Response{}, p
	}
	if most := c.Server.Options().Context; ask.CountTokens() > most {
		return scripted.Response{}, c.FindProblem("context")
	}
	return r.encodeResponse(c, c.ComposeResponse(ask)), nil
}

// toChat returns the settings that both APIs share as a chat request, so that they are checked in
// the same way.
func (r *responsesRequest) toChat() *chatRequest {
	chat := &chatRequest{
		Temperature: r.Temperature, TopP: r.TopP, MaxCompletionTokens: r.MaxOutputTokens, ToolChoice: r.ToolChoice,
		Parallel: r.Parallel, ReasoningEffort: r.Reasoning.Effort, Stream: r.Stream, User: r.User,
		Messages: []chatMessage{{Content: r.Input}},
	}
	for _, t := range r.listFunctions() {
		chat.Tools = append(chat.Tools, t.toChat())
	}
	var named struct{ Name string }
	if json.Unmarshal(r.ToolChoice, &named) == nil && named.Name != "" {
		chat.ToolChoice = json.RawMessage(`{"function":{"name":` + server.EncodeJSON(named.Name) + `}}`)
	}
	if r.Text != nil && r.Text.Format != nil {
		f := r.Text.Format
		chat.ResponseFormat = &chatFormat{Type: f.Type}
		chat.ResponseFormat.Schema.Name, chat.ResponseFormat.Schema.Schema, chat.ResponseFormat.Schema.Strict = f.Name, f.Schema, f.Strict
	}
	return chat
}

// check validates the fields that the chat API does not have.
func (r *responsesRequest) check(model string) *server.Problem {
	thinks, _ := canThink(model)
	switch {
	case r.MaxOutputTokens != nil && *r.MaxOutputTokens < minOutputTokens:
		return invalidFieldError("max_output_tokens", "integer_below_min_value", "Invalid 'max_output_tokens': integer below minimum value. Expected a value >= %d, but got %d instead.", minOutputTokens, *r.MaxOutputTokens)
	case slices.Contains(r.Include, encryptedContent) && !thinks:
		return invalidFieldError("include", "", "Encrypted content is not supported with this model.")
	case r.TopLogprobs != nil && *r.TopLogprobs > 0 && thinks:
		return invalidFieldError("top_logprobs", "unsupported_parameter", "Unsupported parameter: 'top_logprobs' is not supported with this model.")
	case len(r.StreamOptions) > 0 && !r.Stream:
		return invalidFieldError("stream_options", "", "The 'stream_options' parameter is only allowed when 'stream' is enabled.")
	}
	return checkResponsesTools(r.Tools, "tools", topTools)
}

// readPrompt validates the request and converts it to a prompt.
func (r *responsesRequest) readPrompt(model string) (*server.Prompt, *server.Problem) {
	if p := r.check(model); p != nil {
		return nil, p
	}
	ask, p := r.toChat().readSettings(model)
	if p != nil {
		return nil, p
	}
	if r.Instructions != nil {
		addMessage(ask, "developer", *r.Instructions)
	}
	if server.JSONType(r.Input) == "string" {
		addMessage(ask, "user", server.DecodeString(r.Input))
		return ask, nil
	}
	return ask, r.readItems(ask)
}

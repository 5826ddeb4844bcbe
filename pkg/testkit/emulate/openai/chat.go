package openai

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/signalbox/signalbox/pkg/scripted"
	"github.com/signalbox/signalbox/pkg/testkit/emulate/server"
)

// chatRequest has the fields of OpenAI's API and some of Mistral. Ignored fields are not validated.
type chatRequest struct {
	Model               string          `json:"model"`
	Messages            []chatMessage   `json:"messages"`
	MaxTokens           *int64          `json:"max_tokens"`
	MaxCompletionTokens *int64          `json:"max_completion_tokens"`
	Temperature         *float64        `json:"temperature"`
	TopP                *float64        `json:"top_p"`
	FrequencyPenalty    *float64        `json:"frequency_penalty"`
	PresencePenalty     *float64        `json:"presence_penalty"`
	N                   *int            `json:"n"`
	Stop                json.RawMessage `json:"stop"`
	Logprobs            *bool           `json:"logprobs"`
	TopLogprobs         *int            `json:"top_logprobs"`
	LogitBias           json.RawMessage `json:"logit_bias"`
	Tools               []chatTool      `json:"tools"`
	ToolChoice          json.RawMessage `json:"tool_choice"`
	Parallel            *bool           `json:"parallel_tool_calls"`
	ResponseFormat      *chatFormat     `json:"response_format"`
	ReasoningEffort     string          `json:"reasoning_effort"`
	Stream              bool            `json:"stream"`
	StreamOptions       *struct {
		IncludeUsage       bool `json:"include_usage"`
		IncludeObfuscation bool `json:"include_obfuscation"`
	} `json:"stream_options"`
	User string `json:"user"`

	Seed                 json.RawMessage `json:"seed"`
	Verbosity            json.RawMessage `json:"verbosity"`
	Modalities           json.RawMessage `json:"modalities"`
	Audio                json.RawMessage `json:"audio"`
	Prediction           json.RawMessage `json:"prediction"`
	Store                json.RawMessage `json:"store"`
	Metadata             json.RawMessage `json:"metadata"`
	ServiceTier          json.RawMessage `json:"service_tier"`
	WebSearchOptions     json.RawMessage `json:"web_search_options"`
	SafetyIdentifier     json.RawMessage `json:"safety_identifier"`
	PromptCacheKey       json.RawMessage `json:"prompt_cache_key"`
	PromptCacheRetention json.RawMessage `json:"prompt_cache_retention"`
	PromptCacheOptions   json.RawMessage `json:"prompt_cache_options"`
	Moderation           json.RawMessage `json:"moderation"`
	Functions            json.RawMessage `json:"functions"`
	FunctionCall         json.RawMessage `json:"function_call"`

	// These fields exist only at Mistral.
	RandomSeed json.RawMessage `json:"random_seed"`
	SafePrompt json.RawMessage `json:"safe_prompt"`
	PromptMode json.RawMessage `json:"prompt_mode"`
}

type chatMessage struct {
	Role         string          `json:"role"`
	Content      json.RawMessage `json:"content"`
	Name         string          `json:"name"`
	ToolCalls    []chatCall      `json:"tool_calls"`
	ToolCallID   string          `json:"tool_call_id"`
	Refusal      *string         `json:"refusal"`
	Audio        json.RawMessage `json:"audio"`
	FunctionCall json.RawMessage `json:"function_call"`
	Annotations  json.RawMessage `json:"annotations"`
}

type chatCall struct {
	ID       string `json:"id"`
	Type     string `json:"type"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"function"`
}

type chatTool struct {
	Type     string `json:"type"`
	Function struct {
		Name        string          `json:"name"`
		Description string          `json:"description"`
		Parameters  json.RawMessage `json:"parameters"`
		Strict      *bool           `json:"strict"`
	} `json:"function"`
}

type chatFormat struct {
	Type   string `json:"type"`
	Schema struct {
		Name        string          `json:"name"`
		Description string          `json:"description"`
		Schema      json.RawMessage `json:"schema"`
		Strict      *bool           `json:"strict"`
	} `json:"json_schema"`
}

type chatPart struct {
	Type     string `json:"type"`
	Text     string `json:"text"`
	Refusal  string `json:"refusal"`
	ImageURL *struct {
		URL    string `json:"url"`
		Detail string `json:"detail"`
	} `json:"image_url"`
	InputAudio json.RawMessage `json:"input_audio"`
	File       json.RawMessage `json:"file"`
}

func (o dialect) serveChat(c *server.Call, w writer) (scripted.Response, *server.Problem) {
	var r chatRequest
	if p := decodeBody(c, &r); p != nil {
		return scripted.Response{}, p
	}
	c.Stream = r.Stream
	if p := checkModel(c, r.Model, w); p != nil {
		return scripted.Response{}, p
	}
	if isResponsesOnly(c.Model) {
		return scripted.Response{}, &server.Problem{
			Status: 404, Kind: "invalid_request_error", Param: "model",
			Message: "This model is only supported in v1/responses and not in v1/chat/completions.",
		}
	}
	ask, p := r.readPrompt(c.Model)
	if p == nil {
		p = c.ApplyTextDirectives(ask.LastText)
	}
	if p != nil {
		return scripted.Response{}, p
	}
	if most := c.Server.Options().Context; ask.CountTokens() > most {
		p := c.FindProblem("context")
		p.Message = fmt.Sprintf("This model's maximum context length is %d tokens. However, your messages resulted in %d tokens. Please reduce the length of the messages.", most, ask.CountTokens())
		return scripted.Response{}, p
	}
	return w.encodeResponse(c, &r, c.ComposeResponse(ask)), nil
}

// decodeBody decodes the body. It rejects unknown fields. It also calls checkForeignFields.
func decodeBody(c *server.Call, v any) *server.Problem {
	field, unknown, err := server.DecodeStrict(c.Body, v)
	switch {
	case err == nil:
		return checkForeignFields(c)
	case unknown:
		return unknownFieldError(c, field)
	case field != "":
		return invalidFieldError(field, "invalid_type", "Invalid type for '%s'.", field)
	}
	return c.FindProblem("400")
}

func unknownFieldError(c *server.Call, field string) *server.Problem {
	if c.Server.Options().Strict {
		return &server.Problem{Status: 422, Param: field}
	}
	return invalidFieldError(field, "unknown_parameter", "Unknown parameter: '%s'.", field)
}

const (
	mistralOnly = "random_seed safe_prompt prompt_mode output_dimension"
	openaiOnly  = "max_completion_tokens seed logprobs top_logprobs logit_bias user store verbosity modalities audio " +
		"web_search_options safety_identifier prompt_cache_retention prompt_cache_options moderation functions function_call dimensions"
)

// checkForeignFields rejects fields that only Mistral has. If Strict is set, it instead rejects fields
// that only OpenAI has.
func checkForeignFields(c *server.Call) *server.Problem {
	var sent map[string]json.RawMessage
	if json.Unmarshal(c.Body, &sent) != nil {
		return c.FindProblem("400")
	}
	names := mistralOnly
	if c.Server.Options().Strict {
		names = openaiOnly
	}
	for name := range strings.FieldsSeq(names) {
		if _, ok := sent[name]; ok {
			return unknownFieldError(c, name)
		}
	}
	return nil
}

func checkModel(c *server.Call, model string, w writer) *server.Problem {
	model = cmp.Or(w.deployment, model)
	if model == "" {
		return invalidFieldError("", "", "you must provide a model parameter")
	}
	if p := c.ReadModelDirectives(model); p != nil {
		return p
	}
	if !c.Server.ServesModel(c.Model) {
		return c.FindProblem("404")
	}
	return nil
}

// invalidFieldError returns OpenAI's error for an invalid field.
func invalidFieldError(param, code, format string, args ...any) *server.Problem {
	return &server.Problem{Status: 400, Kind: "invalid_request_error", Param: param, Code: code, Message: fmt.Sprintf(format, args...)}
}

package catalog

import "encoding/json"

// Wire lists how an upstream deviates from the wire format that it implements. The
// deviations are data, so a new upstream needs no code. The zero value means no
// deviation. A provider can have a Wire, and each of its endpoints can have another one.
// Merge combines the two. Request fields are written as paths: store, messages[].name,
// tools[].function.strict.
type Wire struct {
	// API is the API that serves chats at a provider of the OpenAI format. "responses" sends
	// chat requests to the Responses API, and "chat" sends requests of the Responses API to
	// chat completions. By default, a request is sent to its own API if the provider has it,
	// and to chat completions otherwise.
	API Protocol `json:"api,omitempty"`
	// Drop lists fields that the upstream does not accept and that a request can do without.
	// The proxy removes these fields. It lists them in a response header, unless they have
	// their default value. If Drop contains stream_options, the proxy does not request token
	// usage for streams.
	Drop []string `json:"drop,omitempty"`
	// Reject lists top-level fields that the upstream does not support and that a request
	// cannot do without. A request that sets such a field to a value other than the
	// default is not sent to this upstream.
	Reject []string `json:"refuse,omitempty"`
	// AllowedValues lists the accepted values of top-level fields. A request with another value
	// is not sent to this upstream, because the value is unsupported or its price is
	// unknown. For the field tools, the values are built-in tools of the vendor.
	AllowedValues map[string][]string `json:"only,omitempty"`
	// Keep lists fields that this endpoint accepts although the Wire of its provider
	// drops, rejects or restricts them.
	Keep []string `json:"keep,omitempty"`
	// DropDefault lists top-level fields that the upstream rejects even with their
	// default value. The proxy removes such a field if it has its default value.
	DropDefault []string `json:"drop_default,omitempty"`
	// DropEmpty means that the upstream rejects empty tools, functions and stop, and rejects
	// tool_choice, parallel_tool_calls and function_call without tools or functions. The proxy
	// removes these fields. It lists them in a response header, unless they are null.
	DropEmpty bool `json:"drop_empty,omitempty"`
	// Add maps top-level fields to values. A field is added unless the client sent it.
	Add map[string]json.RawMessage `json:"add,omitempty"`
	// Rename maps top-level fields to the upstream's names. If a client sends a field
	// under both names, only the upstream's name is sent. If the field is a token limit,
	// the smaller limit is sent.
	Rename map[string]string `json:"rename,omitempty"`
	// Values maps, per top-level field, the client's values to the upstream's values.
	// An empty replacement removes the field.
	Values map[string]map[string]string `json:"values,omitempty"`
	// Limits bounds numbers by field. A number outside its bounds becomes the nearest
	// bound.
	Limits map[string]Limit `json:"limits,omitempty"`
	// Roles maps the message roles developer and system to the upstream's roles.
	Roles map[string]string `json:"roles,omitempty"`
	// Reasoning is how the upstream expects the reasoning effort.
	Reasoning ReasoningStyle `json:"reasoning,omitempty"`
	// ReplaysReasoning means that the upstream rejects assistant messages that have
	// tool calls but no reasoning_content. The proxy adds an empty reasoning_content.
	ReplaysReasoning bool `json:"replays_reasoning,omitempty"`
	// TextContent means that the upstream does not accept plain text as a list of parts.
	// If all parts are text, the proxy joins them into one string.
	TextContent bool `json:"text_content,omitempty"`
	// ToolText means that the upstream accepts only text in tool messages. The proxy moves other
	// parts into a message of the user after the tool messages.
	ToolText bool `json:"tool_text,omitempty"`
	// ToolIDLength is the number of letters and digits that a tool call id must have.
	// The proxy replaces other ids, and equal ids stay equal. 0 accepts any id.
	ToolIDLength int `json:"tool_id_length,omitempty"`
	// AllowsLaterSystem applies to formats with a separate system field. It means that the
	// model also accepts system messages later in the conversation.
	AllowsLaterSystem bool `json:"system_inside,omitempty"`
	// FormatExcludesTools means that the upstream rejects tools together with a JSON response
	// format.
	FormatExcludesTools bool `json:"format_or_tools,omitempty"`
	// MaxInputs is the largest number of inputs per embeddings call. A request with
	// more inputs is split into several calls. 0 means the default of the adapter.
	MaxInputs int `json:"max_inputs,omitempty"`
	// HTTP is set for providers only, never for endpoints.
	HTTP *WireHTTP `json:"http,omitempty"`
}

// WireHTTP describes deviations in the URL and the credential header of a provider.
type WireHTTP struct {
	// AuthHeader is the header with the credential. The default is Authorization.
	AuthHeader string `json:"auth_header,omitempty"`
	// AuthPrefix is the text before the credential. If AuthHeader is set, the default is
	// no prefix. Otherwise the prefix is "Bearer ".
	AuthPrefix string `json:"auth_prefix,omitempty"`
	// ChatPath and EmbeddingsPath are appended to the base URL. {model} stands for the
	// upstream's name of the model.
	ChatPath       string `json:"chat_path,omitempty"`
	EmbeddingsPath string `json:"embeddings_path,omitempty"`
	// ResponsesPath is the path of the Responses API. If it is empty, only endpoints whose API
	// is "responses" use that API, at /responses.
	ResponsesPath string `json:"responses_path,omitempty"`
	// Query is added to every URL.
	Query map[string]string `json:"query,omitempty"`
}

// UsesResponses reports whether an upstream serves requests with the Responses API. byDefault
// is the result if API is not set. w may be nil.
func (w *Wire) UsesResponses(byDefault bool) bool {
	if w == nil || w.API == "" {
		return byDefault
	}
	return w.API == ProtocolResponses
}

// Limit bounds a number. Min and Max are JSON numbers; an empty string means no bound.
type Limit struct {
	Min string `json:"min,omitempty"`
	Max string `json:"max,omitempty"`
}

// ReasoningStyle is how an upstream expects the reasoning effort.
type ReasoningStyle string

// The first group of styles belongs to the OpenAI format. An upstream that accepts the
// field reasoning_effort needs no style. The second group belongs to other formats.
const (
	// ReasoningObject sends "reasoning":{"effort":...}.
	ReasoningObject ReasoningStyle = "reasoning_object"
	// ReasoningSwitch sends "reasoning":{"enabled":...}.
	ReasoningSwitch ReasoningStyle = "reasoning_switch"
	// ThinkingSwitch sends "thinking":{"type":"enabled" or "disabled"}.
	ThinkingSwitch ReasoningStyle = "thinking_switch"
	// ThinkingEffort sends reasoning_effort and the same field as ThinkingSwitch.
	ThinkingEffort ReasoningStyle = "thinking_effort"

	// AdaptiveThinking sends an effort. The model decides how much it thinks.
	AdaptiveThinking ReasoningStyle = "adaptive"
	// EffortAndBudget sends an effort and a token budget.
	EffortAndBudget ReasoningStyle = "effort_budget"
	// ThinkingBudget sends a token budget.
	ThinkingBudget ReasoningStyle = "budget"
	// ThinkingLevel sends a level such as LOW or HIGH.
	ThinkingLevel ReasoningStyle = "level"
)

// ReasoningStyles lists all styles.
func ReasoningStyles() []ReasoningStyle {
	return []ReasoningStyle{
		ReasoningObject, ReasoningSwitch, ThinkingSwitch, ThinkingEffort,
		AdaptiveThinking, EffortAndBudget, ThinkingBudget, ThinkingLevel,
	}
}

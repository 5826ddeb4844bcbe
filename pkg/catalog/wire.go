package catalog

import "encoding/json"

// Wire describes as data how an upstream deviates from its wire format, so that a
// new upstream needs no code. The zero value means no deviation. A provider can have a
// Wire, and each of its endpoints can have another Wire that is merged on top. Request
// fields are written as paths: store, messages[].name, tools[].function.strict.
type Wire struct {
	// Drop lists fields that the upstream does not accept and that do not affect the
	// response. They are removed, and a response header reports this to the client. If
	// the list contains stream_options, streams are requested without usage.
	Drop []string `json:"drop,omitempty"`
	// Refuse lists top-level fields that the upstream does not support and that
	// affect the response. A request that sets such a field to a value other than its
	// default is not sent to this upstream.
	Refuse []string `json:"refuse,omitempty"`
	// Only lists, per top-level field, the accepted values. A request with another
	// value is not sent to this upstream, because the value is unsupported or its price
	// is unknown. For tools, the values are the vendor's built-in tools.
	Only map[string][]string `json:"only,omitempty"`
	// Keep lists fields that this endpoint accepts although its provider's entry
	// drops or rejects them.
	Keep []string `json:"keep,omitempty"`
	// DropDefault lists top-level fields that the upstream rejects even with their
	// default value. A field with its default value is removed.
	DropDefault []string `json:"drop_default,omitempty"`
	// Add lists top-level fields that are added unless the client sent them.
	Add map[string]json.RawMessage `json:"add,omitempty"`
	// Rename maps top-level fields to the upstream's names. If a client sends both
	// fields, only one is sent. Of two token limits, the smaller one is sent.
	Rename map[string]string `json:"rename,omitempty"`
	// Values maps, per top-level field, values to the upstream's values. An empty
	// replacement removes the field.
	Values map[string]map[string]string `json:"values,omitempty"`
	// Limits bounds numbers. A number outside the bounds becomes the nearest bound.
	Limits map[string]Limit `json:"limits,omitempty"`
	// Roles maps the message roles developer and system to the upstream's roles.
	Roles map[string]string `json:"roles,omitempty"`
	// Reasoning is how the upstream expects the reasoning effort.
	Reasoning ReasoningStyle `json:"reasoning,omitempty"`
	// ReplaysReasoning means that the upstream rejects assistant messages that have
	// tool calls but no reasoning_content. An empty reasoning_content is added.
	ReplaysReasoning bool `json:"replays_reasoning,omitempty"`
	// TextContent means that the upstream does not accept plain text as a list of parts.
	// Text parts are joined into one string.
	TextContent bool `json:"text_content,omitempty"`
	// ToolIDLength is the required length of tool call ids, in letters and digits.
	// Other ids are replaced consistently. 0 accepts any id.
	ToolIDLength int `json:"tool_id_length,omitempty"`
	// SystemInside means that the model accepts system messages after the first
	// message, in a format with a separate system field.
	SystemInside bool `json:"system_inside,omitempty"`
	// FormatOrTools means that tools and a JSON response format exclude each other.
	FormatOrTools bool `json:"format_or_tools,omitempty"`
	// MaxInputs is the largest number of inputs per embeddings call. A request with
	// more inputs is split into several calls. 0 means no limit.
	MaxInputs int `json:"max_inputs,omitempty"`
	// HTTP is set for providers only, never for endpoints.
	HTTP *WireHTTP `json:"http,omitempty"`
}

// WireHTTP describes deviations in the URL and the credential header of a provider.
type WireHTTP struct {
	// AuthHeader is the header with the credential. The default is Authorization.
	AuthHeader string `json:"auth_header,omitempty"`
	// AuthPrefix is the text before the credential. The default is "Bearer ", but if
	// AuthHeader is set, the default is no prefix.
	AuthPrefix string `json:"auth_prefix,omitempty"`
	// ChatPath and EmbeddingsPath are appended to the base URL. {model} stands for the
	// upstream's name of the model.
	ChatPath       string `json:"chat_path,omitempty"`
	EmbeddingsPath string `json:"embeddings_path,omitempty"`
	// Query is added to every URL.
	Query map[string]string `json:"query,omitempty"`
}

// Limit bounds a number. Min and Max are JSON numbers; an empty string means no bound.
type Limit struct {
	Min string `json:"min,omitempty"`
	Max string `json:"max,omitempty"`
}

// ReasoningStyle is how an upstream expects the reasoning effort.
type ReasoningStyle string

// The styles. The first group belongs to the OpenAI format; plain reasoning_effort
// needs no style. The second group belongs to other formats.
const (
	// ReasoningObject is "reasoning":{"effort":...}.
	ReasoningObject ReasoningStyle = "reasoning_object"
	// ReasoningSwitch is "reasoning":{"enabled":...}.
	ReasoningSwitch ReasoningStyle = "reasoning_switch"
	// ThinkingSwitch is "thinking":{"type":"enabled" or "disabled"}.
	ThinkingSwitch ReasoningStyle = "thinking_switch"
	// ThinkingEffort is ThinkingSwitch in addition to reasoning_effort.
	ThinkingEffort ReasoningStyle = "thinking_effort"

	// AdaptiveThinking lets the model choose how much to think, within an effort.
	AdaptiveThinking ReasoningStyle = "adaptive"
	// EffortAndBudget sends an effort and a token budget.
	EffortAndBudget ReasoningStyle = "effort_budget"
	// ThinkingBudget sends a token budget.
	ThinkingBudget ReasoningStyle = "budget"
	// ThinkingLevel sends one of a few levels.
	ThinkingLevel ReasoningStyle = "level"
)

// ReasoningStyles lists all styles.
func ReasoningStyles() []ReasoningStyle {
	return []ReasoningStyle{
		ReasoningObject, ReasoningSwitch, ThinkingSwitch, ThinkingEffort,
		AdaptiveThinking, EffortAndBudget, ThinkingBudget, ThinkingLevel,
	}
}

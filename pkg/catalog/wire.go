package catalog

import "encoding/json"

// Wire is how an upstream deviates from the wire format it speaks, as data, so
// that one that does is added without code. The zero value does not deviate.
// A provider has one, and a place that serves a model may have another over it.
// Fields of a request are named as they stand in it: store, and, inside of
// others, messages[].name or tools[].function.strict.
type Wire struct {
	// Drop are fields that the upstream does not know and the answer does not
	// depend on. They are left out, and the client is told so. An upstream
	// that drops stream_options is not asked for usage in a stream.
	Drop []string `json:"drop,omitempty"`
	// Refuse are top-level fields that it cannot do and the answer depends on:
	// a request that has one of them, other than with its default value, does
	// not go there.
	Refuse []string `json:"refuse,omitempty"`
	// Only gives, by top-level field, the words with which a request goes there:
	// what others ask for it cannot do, or has a price that is not known. Of
	// tools they are the vendor's own that are no functions.
	Only map[string][]string `json:"only,omitempty"`
	// Keep are fields that this place takes though its provider's entry drops
	// or refuses them.
	Keep []string `json:"keep,omitempty"`
	// DropDefault are top-level fields that it does not take with their default
	// value, which is the same as leaving them out.
	DropDefault []string `json:"drop_default,omitempty"`
	// Add are top-level members that it gets unless the client sent them.
	Add map[string]json.RawMessage `json:"add,omitempty"`
	// Rename gives top-level fields the upstream's names. Where a client sends
	// both, it gets the one; of two limits of tokens, the smaller.
	Rename map[string]string `json:"rename,omitempty"`
	// Values gives, by top-level field, words for words. No word leaves the
	// field out.
	Values map[string]map[string]string `json:"values,omitempty"`
	// Limits bound numbers: one outside becomes the nearest inside.
	Limits map[string]Limit `json:"limits,omitempty"`
	// Roles gives roles of messages for developer and system.
	Roles map[string]string `json:"roles,omitempty"`
	// Reasoning is how the upstream is told how hard to think.
	Reasoning Reasoner `json:"reasoning,omitempty"`
	// ReplaysReasoning is set if it refuses an assistant's message with tool
	// calls that has no reasoning_content: an empty one is put in.
	ReplaysReasoning bool `json:"replays_reasoning,omitempty"`
	// TextContent is set if it takes no list of parts where all are text:
	// they become one text.
	TextContent bool `json:"text_content,omitempty"`
	// ToolIDLength is how many letters and digits the id of a tool call must
	// have; others are replaced, the same by the same. 0 is any id.
	ToolIDLength int `json:"tool_id_length,omitempty"`
	// SystemInside is set if the model takes system messages that are not the
	// first, in a format that has a place of its own for those.
	SystemInside bool `json:"system_inside,omitempty"`
	// FormatOrTools is set if it cannot both offer tools and promise JSON.
	FormatOrTools bool `json:"format_or_tools,omitempty"`
	// MaxInputs is how many texts of an embeddings call it takes at once; what
	// is more is asked for in several calls. 0 is no limit.
	MaxInputs int `json:"max_inputs,omitempty"`
	// HTTP is a provider's; a place has none of its own.
	HTTP *WireHTTP `json:"http,omitempty"`
}

// WireHTTP is where and how a provider is called, where that differs.
type WireHTTP struct {
	// AuthHeader and AuthPrefix are for the credential. Without a header they
	// are Authorization and Bearer; with one the prefix is as written.
	AuthHeader string `json:"auth_header,omitempty"`
	AuthPrefix string `json:"auth_prefix,omitempty"`
	// ChatPath and EmbeddingsPath follow the base URL; {model} in them is the
	// upstream's name of the model.
	ChatPath       string `json:"chat_path,omitempty"`
	EmbeddingsPath string `json:"embeddings_path,omitempty"`
	// Query is added to every address.
	Query map[string]string `json:"query,omitempty"`
}

// Limit is the least and the most a number may be, as JSON has it; an empty
// one is none.
type Limit struct {
	Min string `json:"min,omitempty"`
	Max string `json:"max,omitempty"`
}

// Reasoner is a way to say how hard a model shall think.
type Reasoner string

// The ways. The first group is of our clients' own format, in which
// reasoning_effort as it stands needs no word; those after it are of others.
const (
	// ReasoningObject is "reasoning":{"effort":...}.
	ReasoningObject Reasoner = "reasoning_object"
	// ReasoningSwitch is "reasoning":{"enabled":...}.
	ReasoningSwitch Reasoner = "reasoning_switch"
	// ThinkingSwitch is "thinking":{"type":"enabled" or "disabled"}.
	ThinkingSwitch Reasoner = "thinking_switch"
	// ThinkingEffort is that and reasoning_effort beside it.
	ThinkingEffort Reasoner = "thinking_effort"

	// Adaptive thinks as it sees fit, within an effort.
	Adaptive Reasoner = "adaptive"
	// EffortBudget has both an effort and a budget of tokens.
	EffortBudget Reasoner = "effort_budget"
	// Budget has a budget of tokens.
	Budget Reasoner = "budget"
	// Level has one of few levels.
	Level Reasoner = "level"
)

// Reasoners lists the ways.
func Reasoners() []Reasoner {
	return []Reasoner{
		ReasoningObject, ReasoningSwitch, ThinkingSwitch, ThinkingEffort,
		Adaptive, EffortBudget, Budget, Level,
	}
}

package responses

import (
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/pkg/jsonscan"
	"github.com/signalbox/signalbox/services/proxy/internal/inbound"
)

// settings are the client's settings, which every response object repeats.
type settings struct {
	// beforeModel and afterOutput hold members with a leading comma. They come before the
	// model, and after the output.
	beforeModel, afterOutput []byte
	serviceTier              jsontext.Value
}

// newSettings copies the settings of a request. A setting that is absent has the default of
// the protocol. Nothing is stored, whatever the client has requested.
func newSettings(f *requestFields) settings {
	before := appendMemberOr([]byte(`,"background":false`), "instructions", f.instructions, "null")
	before = appendMemberOr(before, "max_output_tokens", f.maxOutputTokens, "null")
	before = append(before, `,"max_tool_calls":null`...)
	after := appendMemberOr(nil, "parallel_tool_calls", f.parallelCalls, "true")
	after = append(after, `,"previous_response_id":null`...)
	after = appendMemberOr(after, "prompt_cache_key", f.cacheKey, "null")
	after = appendReasoningSetting(after, f.reasoning)
	after = appendMemberOr(after, "safety_identifier", f.safetyIdentifier, "null")
	after = append(after, `,"store":false`...)
	after = appendMemberOr(after, "temperature", f.temperature, "1.0")
	after = appendMemberOr(after, "text", f.text, `{"format":{"type":"text"},"verbosity":"medium"}`)
	after = appendMemberOr(after, "tool_choice", f.toolChoice, `"auto"`)
	after = appendMemberOr(after, "tools", f.tools, "[]")
	after = appendMemberOr(after, "top_logprobs", f.topLogprobs, "0")
	after = appendMemberOr(after, "top_p", f.topP, "1.0")
	after = append(after, `,"truncation":"disabled"`...)
	after = appendMemberOr(after, "user", f.user, "null")
	after = appendMemberOr(after, "metadata", f.metadata, "{}")
	// The client's JSON may contain line breaks, which would end an event.
	return settings{beforeModel: joinLines(before), afterOutput: joinLines(after), serviceTier: append(jsontext.Value(nil), f.serviceTier...)}
}

func appendReasoningSetting(dst []byte, reasoning jsontext.Value) []byte {
	dst = append(dst, `,"reasoning":{"effort":`...)
	effort := jsonscan.Member(reasoning, "effort")
	if len(effort) == 0 {
		effort = []byte("null")
	}
	dst = appendMemberOr(append(dst, effort...), "summary", jsonscan.Member(reasoning, "summary"), "null")
	return append(dst, '}')
}

// responseState are the values of a response object that change while it is generated.
type responseState struct {
	status string
	// failure, incomplete, serviceTier and usage are raw JSON. They are null if absent.
	failure, incomplete, serviceTier, usage jsontext.Value
	// output has a trailing comma after each item.
	output []byte
}

// appendResponse appends a response object.
func (s *settings) appendResponse(dst []byte, o inbound.Options, state responseState) []byte {
	dst = jsonscan.AppendQuoted(append(dst, `{"id":`...), responseID(o))
	dst = append(dst, `,"object":"response","created_at":`...)
	dst = strconv.AppendInt(dst, o.Created, 10)
	dst = appendTextMember(dst, "status", state.status)
	dst = appendMemberOr(dst, "error", state.failure, "null")
	dst = appendMemberOr(dst, "incomplete_details", state.incomplete, "null")
	dst = append(dst, s.beforeModel...)
	dst = appendTextMember(dst, "model", o.Model)
	dst = appendList(appendName(dst, "output"), state.output)
	dst = append(dst, s.afterOutput...)
	tier := state.serviceTier
	if jsonscan.IsNull(tier) {
		tier = s.serviceTier
	}
	dst = appendMemberOr(dst, "service_tier", tier, `"default"`)
	dst = appendMemberOr(dst, "usage", state.usage, "null")
	return append(dst, '}')
}

func responseID(o inbound.Options) string { return "resp_" + o.ID }

package normalize

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/jsonscan"
)

// These are the finish reasons that clients expect.
const (
	finishStop          = "stop"
	finishLength        = "length"
	finishToolCalls     = "tool_calls"
	finishContentFilter = "content_filter"
	finishFunctionCall  = "function_call"
	// finishError is never sent to clients. Some upstreams end a failed stream with
	// it.
	finishError = "error"
)

// callKind is the way in which a message calls functions. Its value is the finish
// reason that clients expect for such a message, or "" for a message without calls.
type callKind string

const (
	noCalls          callKind = ""
	withToolCalls    callKind = finishToolCalls
	withFunctionCall callKind = finishFunctionCall
)

func (m *message) callKind() callKind {
	switch {
	case len(m.calls) > 0:
		return withToolCalls
	case m.hasFunctionCall:
		return withFunctionCall
	}
	return noCalls
}

// mapFinishReason maps a vendor's finish reason to one that clients expect. If the
// message has calls, "stop" becomes the reason that fits the calls.
func mapFinishReason(v jsontext.Value, c callKind) string {
	if string(v) == `"`+finishStop+`"` { // the most common reason
		return c.adjustReason(finishStop)
	}
	return c.adjustReason(normalizeFinishReason(strings.ToLower(jsonscan.DecodeText(v))))
}

// adjustReason replaces a normal finish reason with the reason that fits the calls.
func (c callKind) adjustReason(reason string) string {
	if c == noCalls {
		return reason
	}
	switch reason {
	case finishStop, finishToolCalls, finishFunctionCall:
		return string(c)
	}
	return reason
}

// hasFinishReason reports whether a chunk finishes its choice. With an empty reason,
// or the string "null", the choice continues.
func (ch *choice) hasFinishReason() bool {
	switch string(ch.finishReason) {
	case "", "null", `"null"`, `""`, "false", "0", "{}", "[]":
		return false
	}
	return true
}

// hasEmptyFinish reports whether a chunk has only an empty finish reason. If no other
// reason follows, the chunk was the end of its choice.
func (ch *choice) hasEmptyFinish() bool {
	return string(ch.finishReason) == `""` && !ch.message.hasContent && jsonscan.IsBlank(ch.message.role)
}

// normalizeFinishReason maps a vendor's finish reason, in lower case, to one that
// clients expect. Unknown reasons become "stop".
func normalizeFinishReason(reason string) string {
	switch reason {
	case finishLength, finishToolCalls, finishContentFilter, finishFunctionCall, finishError:
		return reason
	case "max_tokens", "max_output_tokens", "max_length", "model_length", "model_context_window_exceeded", "compaction":
		return finishLength
	case "tool_use", "tool_call":
		return finishToolCalls
	case "safety", "refusal", "sensitive", "error_toxic", "recitation", "blocklist", "prohibited_content", "spii",
		"content_filtered", "guardrail_intervened", "image_safety":
		return finishContentFilter
	case "network_error", "insufficient_system_resource", "abort", "aborted", "cancelled":
		return finishError
	}
	return finishStop
}

func errEndedWithError() error {
	return apperr.New(apperr.ProviderUpstream, "the provider ended the response with an error")
}

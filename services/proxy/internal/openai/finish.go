package openai

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/pkg/apperr"
)

// The finish reasons that clients know.
const (
	finishStop   = "stop"
	finishLength = "length"
	finishTools  = "tool_calls"
	finishFilter = "content_filter"
	finishLegacy = "function_call"
	// finishError is no reason at all: some upstreams end a broken stream so.
	finishError = "error"
)

// called is what a message has called: a finish reason, or nothing.
type called string

const (
	calledNothing called = ""
	calledTools   called = finishTools
	calledLegacy  called = finishLegacy
)

func (m *message) called() called {
	switch {
	case len(m.calls) > 0:
		return calledTools
	case m.legacy:
		return calledLegacy
	}
	return calledNothing
}

// finishReason brings a vendor's reason into the closed set. A model that
// called something did not just stop, whatever its upstream says.
func finishReason(v jsontext.Value, c called) string {
	if string(v) == `"`+finishStop+`"` { // as nearly all do
		return c.ends(finishStop)
	}
	return c.ends(closest(strings.ToLower(text(v))))
}

func (c called) ends(reason string) string {
	if c == calledNothing {
		return reason
	}
	switch reason {
	case finishStop, finishTools, finishLegacy:
		return string(c)
	}
	return reason
}

// isFinish tells whether a chunk's reason ends its choice: an empty one, or the
// word null, means "not yet".
func (ch *choice) isFinish() bool {
	switch string(ch.finish) {
	case "", "null", `"null"`, `""`, "false", "0", "{}", "[]":
		return false
	}
	return true
}

// isUnsaid tells whether a chunk's reason is empty beside nothing else: if
// nothing better comes, that was the end.
func (ch *choice) isUnsaid() bool {
	return string(ch.finish) == `""` && !ch.msg.says && isBlank(ch.msg.role)
}

func closest(reason string) string {
	switch reason {
	case finishLength, finishTools, finishFilter, finishLegacy, finishError:
		return reason
	case "max_tokens", "max_output_tokens", "max_length", "model_length", "model_context_window_exceeded", "compaction":
		return finishLength
	case "tool_use", "tool_call":
		return finishTools
	case "safety", "refusal", "sensitive", "error_toxic", "recitation", "blocklist", "prohibited_content", "spii",
		"content_filtered", "guardrail_intervened", "image_safety":
		return finishFilter
	case "network_error", "insufficient_system_resource", "abort", "aborted", "cancelled":
		return finishError
	}
	return finishStop
}

func errBrokenOff() error {
	return apperr.New(apperr.ProviderUpstream, "the provider broke off the answer with an error")
}

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

// finishReason brings a vendor's reason into the closed set. A model that
// called tools did not just stop, whatever its upstream says.
func finishReason(v jsontext.Value, calls bool) string {
	reason := closest(strings.ToLower(text(v)))
	if reason == finishStop && calls {
		return finishTools
	}
	return reason
}

func closest(reason string) string {
	switch reason {
	case finishLength, finishTools, finishFilter, finishLegacy, finishError:
		return reason
	case "max_tokens", "max_output_tokens", "max_length", "model_length", "model_context_window_exceeded":
		return finishLength
	case "tool_use", "tool_call":
		return finishTools
	case "safety", "refusal", "recitation", "blocklist", "prohibited_content", "spii",
		"content_filtered", "guardrail_intervened":
		return finishFilter
	}
	return finishStop
}

func errBrokenOff() error {
	return apperr.New(apperr.ProviderUpstream, "the provider broke off the answer with an error")
}

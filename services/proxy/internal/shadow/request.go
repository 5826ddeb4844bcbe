package shadow

import (
	"encoding/json"
	"errors"
	"strconv"

	"github.com/signalbox/signalbox/pkg/requestbody"
)

// errNotRepeatable means that a request uses something that must not run twice, or that this
// package does not know.
var errNotRepeatable = errors.New("the request cannot be repeated")

// keptFields are the fields that are sent to the candidate unchanged. droppedFields identify
// the end user, store the response, or change the price or the form of the response. A
// request with any other field is not repeated: the field could make the provider run a tool
// such as a web search again.
var (
	keptFields = fieldSet("messages", "temperature", "top_p", "top_k", "stop", "seed", "frequency_penalty", "presence_penalty", "logit_bias",
		"response_format", "tools", "tool_choice", "parallel_tool_calls", "reasoning_effort", "verbosity")
	droppedFields = fieldSet("model", "stream", "stream_options", "user", "metadata", "store", "service_tier", "n", "max_tokens",
		"max_completion_tokens", "prompt_cache_key", "safety_identifier", "logprobs", "top_logprobs")
)

func fieldSet(names ...string) map[string]bool {
	set := map[string]bool{}
	for _, name := range names {
		set[name] = true
	}
	return set
}

const (
	// minOutputLimit and outputFactor limit the candidate's response: to a multiple of the
	// served response, but not to less than minOutputLimit tokens.
	minOutputLimit = 4096
	outputFactor   = 4
)

// outputLimit returns the limit of output tokens for the candidate, and whether it is the
// client's own limit.
func outputLimit(clientLimit, served int64) (limit int64, isClients bool) {
	limit = max(minOutputLimit, outputFactor*served)
	if clientLimit > 0 && clientLimit <= limit {
		return clientLimit, true
	}
	return limit, false
}

// buildRequest returns the client's request for the candidate: not streamed, with one choice
// and a limit of output tokens.
func buildRequest(body []byte, served int64) (req *requestbody.Request, limitIsClients bool, err error) {
	original, err := requestbody.ParseChat(body)
	if err != nil {
		return nil, false, err
	}
	if original.HasMedia() || original.Choices > 1 {
		return nil, false, errNotRepeatable
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(body, &fields); err != nil {
		return nil, false, err
	}
	sent := map[string]json.RawMessage{"model": json.RawMessage(`"shadow"`)}
	for name, value := range fields {
		switch {
		case keptFields[name]:
			sent[name] = value
		case !droppedFields[name]:
			return nil, false, errNotRepeatable
		}
	}
	if !hasOnlyClientTools(fields["tools"]) {
		return nil, false, errNotRepeatable
	}
	limit, limitIsClients := outputLimit(original.MaxOutputTokens, served)
	sent["max_tokens"] = strconv.AppendInt(nil, limit, 10)
	encoded, err := json.Marshal(sent)
	if err != nil {
		return nil, false, err
	}
	req, err = requestbody.ParseChat(encoded)
	return req, limitIsClients, err
}

// hasOnlyClientTools reports whether the client itself runs all tools. Providers run tools of
// other types.
func hasOnlyClientTools(tools json.RawMessage) bool {
	var all []struct {
		Type string `json:"type"`
	}
	if len(tools) > 0 && json.Unmarshal(tools, &all) != nil {
		return false
	}
	for _, tool := range all {
		if tool.Type != "function" {
			return false
		}
	}
	return true
}

package openai

import (
	"encoding/json"
	"strings"

	"github.com/signalbox/signalbox/pkg/testkit/emulate/server"
)

// canThink reports whether the model thinks. optional means that the model thinks only if the request
// sets an effort. While such a model does not think, it accepts fields such as temperature.
func canThink(model string) (thinks, optional bool) {
	switch {
	case strings.HasPrefix(model, "gpt-5-chat"):
		return false, false
	case strings.HasPrefix(model, "gpt-5."), strings.HasPrefix(model, "gpt-6"):
		return true, true
	case strings.HasPrefix(model, "gpt-5"):
		return true, false
	}
	return len(model) > 1 && model[0] == 'o' && model[1] >= '1' && model[1] <= '9', false
}

// check validates all fields, but not the content of the messages.
func (r *chatRequest) check(model string) *server.Problem {
	for _, rule := range []func() *server.Problem{r.checkRanges, func() *server.Problem { return r.checkThinking(model) }, r.checkTools, r.checkFormat} {
		if p := rule(); p != nil {
			return p
		}
	}
	switch {
	case r.Messages == nil:
		return invalidFieldError("messages", "missing_required_parameter", "Missing required parameter: 'messages'.")
	case len(r.Messages) == 0:
		return invalidFieldError("messages", "empty_array", "Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array instead.")
	case r.StreamOptions != nil && !r.Stream:
		return invalidFieldError("stream_options", "", "The 'stream_options' parameter is only allowed when 'stream' is enabled.")
	case len(r.User) > 64:
		return invalidFieldError("user", "string_above_max_length", "Invalid 'user': string too long. Expected a string with maximum length 64, but got a string with length %d instead.", len(r.User))
	}
	return nil
}

func (r *chatRequest) checkRanges() *server.Problem {
	for _, f := range []struct {
		name      string
		value     *float64
		low, high float64
	}{
		{"temperature", r.Temperature, 0, 2},
		{"top_p", r.TopP, 0, 1},
		{"frequency_penalty", r.FrequencyPenalty, -2, 2},
		{"presence_penalty", r.PresencePenalty, -2, 2},
	} {
		switch {
		case f.value == nil:
		case *f.value < f.low:
			return invalidFieldError(f.name, "decimal_below_min_value", "Invalid '%s': decimal below minimum value. Expected a value >= %g, but got %g instead.", f.name, f.low, *f.value)
		case *f.value > f.high:
			return invalidFieldError(f.name, "decimal_above_max_value", "Invalid '%s': decimal above maximum value. Expected a value <= %g, but got %g instead.", f.name, f.high, *f.value)
		}
	}
	switch {
	case r.N != nil && (*r.N < 1 || *r.N > 128):
		return invalidFieldError("n", "integer_out_of_range", "Invalid 'n': expected a value between 1 and 128, but got %d instead.", *r.N)
	case r.MaxTokens != nil && r.MaxCompletionTokens != nil:
		return invalidFieldError("max_tokens", "invalid_parameter_combination", "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.")
	case r.outputLimit() < 0:
		return invalidFieldError("max_tokens", "integer_below_min_value", "Invalid 'max_tokens': integer below minimum value. Expected a value >= 1.")
	case r.TopLogprobs != nil && (r.Logprobs == nil || !*r.Logprobs):
		return invalidFieldError("top_logprobs", "", "top_logprobs requires logprobs to be true.")
	case len(r.stopSequences()) > 4:
		return invalidFieldError("stop", "array_above_max_length", "Invalid 'stop': array too long. Expected an array with maximum length 4, but got an array with length %d instead.", len(r.stopSequences()))
	}
	return nil
}

// outputLimit returns the limit of output tokens: 0 if there is none, -1 if it is not positive.
func (r *chatRequest) outputLimit() int64 {
	for _, m := range []*int64{r.MaxTokens, r.MaxCompletionTokens} {
		if m != nil && *m < 1 {
			return -1
		}
		if m != nil {
			return *m
		}
	}
	return 0
}

func (r *chatRequest) stopSequences() []string {
	if server.JSONType(r.Stop) == "string" {
		return []string{server.DecodeString(r.Stop)}
	}
	var several []string
	_ = json.Unmarshal(r.Stop, &several)
	return several
}

// checkThinking rejects fields that thinking models do not accept. For other models it rejects
// reasoning_effort.
func (r *chatRequest) checkThinking(model string) *server.Problem {
	thinks, optional := canThink(model)
	if !thinks {
		if r.ReasoningEffort != "" {
			return invalidFieldError("reasoning_effort", "unsupported_parameter", "Unsupported parameter: 'reasoning_effort' is not supported with this model.")
		}
		return nil
	}
	if r.MaxTokens != nil {
		return invalidFieldError("max_tokens", "unsupported_parameter", "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.")
	}
	silent := optional && (r.ReasoningEffort == "" || r.ReasoningEffort == "none")
	for _, f := range []struct {
		name string
		sent bool
	}{
		{"stop", len(r.stopSequences()) > 0},
		{"presence_penalty", r.PresencePenalty != nil && *r.PresencePenalty != 0},
		{"frequency_penalty", r.FrequencyPenalty != nil && *r.FrequencyPenalty != 0},
		{"logit_bias", server.JSONType(r.LogitBias) == "object"},
		{"logprobs", r.Logprobs != nil && *r.Logprobs && !silent},
		{"top_p", r.TopP != nil && *r.TopP != 1 && !silent},
	} {
		if f.sent {
			return invalidFieldError(f.name, "unsupported_parameter", "Unsupported parameter: '%s' is not supported with this model.", f.name)
		}
	}
	if r.Temperature != nil && *r.Temperature != 1 && !silent {
		return invalidFieldError("temperature", "unsupported_value", "Unsupported value: 'temperature' does not support %g with this model. Only the default (1) value is supported.", *r.Temperature)
	}
	return nil
}

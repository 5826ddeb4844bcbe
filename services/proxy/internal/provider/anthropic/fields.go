package anthropic

import (
	"slices"
	"strconv"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/services/proxy/internal/jsonscan"
)

// fields are the members of a request that are made into something, as the
// client wrote them; nil where it wrote none, or null.
type fields struct {
	messages, tools, toolChoice, parallel              []byte
	stop, temperature, topP, topK                      []byte
	effort, reasoning, thinking, outputConfig          []byte
	format, user, safety, metadata, tier, cacheControl []byte
}

func (f *fields) slot(name string) *[]byte {
	switch name {
	case "messages":
		return &f.messages
	case "tools":
		return &f.tools
	case "tool_choice":
		return &f.toolChoice
	case "parallel_tool_calls":
		return &f.parallel
	case "stop", "stop_sequences":
		return &f.stop
	case "temperature":
		return &f.temperature
	case "top_p":
		return &f.topP
	case "top_k":
		return &f.topK
	case "reasoning_effort":
		return &f.effort
	case "reasoning":
		return &f.reasoning
	case "thinking":
		return &f.thinking
	case "output_config":
		return &f.outputConfig
	case "response_format":
		return &f.format
	case "user":
		return &f.user
	case "safety_identifier":
		return &f.safety
	case "metadata":
		return &f.metadata
	case "service_tier":
		return &f.tier
	case "cache_control":
		return &f.cacheControl
	}
	return nil
}

// refused says why the answer would be another one without the field.
var refused = map[string]string{
	"n":                  "it gives one answer to a request",
	"logprobs":           "it tells no probabilities",
	"top_logprobs":       "it tells no probabilities",
	"audio":              "it does not speak",
	"modalities":         "it writes text only",
	"functions":          "send tools instead",
	"function_call":      "send tool_choice instead",
	"web_search_options": "it does not search by itself",
	"speed":              "it has another price",
	"inference_geo":      "it has another price",
}

// readFields sorts the members of the request.
func (o *outbound) readFields() error {
	for name, v := range jsonscan.Members(o.request.Body) {
		if err := o.field(string(name), v); err != nil {
			return err
		}
	}
	o.maxToken = o.limit()
	return nil
}

func (o *outbound) field(name string, v []byte) error {
	switch name {
	case "model", "stream", "stream_options":
		return nil
	case "max_tokens", "max_completion_tokens":
		if n, _ := number(v); o.most > 0 && n > float64(o.most) {
			o.drop(name)
		}
		return nil
	}
	why, cannot := refused[name]
	slot := o.in.slot(name)
	switch {
	case isDefault(name, v):
	case slices.Contains(o.wire.Refuse, name):
		return unsupported(name, "the model does not take it")
	case slices.Contains(o.wire.Drop, name):
		o.drop(name)
	case cannot:
		return unsupported(name, why)
	case slot == nil:
		o.drop(name)
	default:
		*slot = o.reworded(name, v)
	}
	return nil
}

// reworded is a value in the words and the bounds that the model takes.
func (o *outbound) reworded(name string, v []byte) []byte {
	if limit, ok := o.wire.Limits[name]; ok {
		bounded := within(v, limit)
		if string(bounded) != string(v) {
			o.drop(name)
		}
		return bounded
	}
	word, ok := o.wire.Values[name][word(v)]
	switch {
	case !ok:
		return v
	case word == "":
		o.drop(name)
		return nil
	}
	return quoted(word)
}

func within(v []byte, limit catalog.Limit) []byte {
	n, isNumber := number(v)
	if least, ok := number([]byte(limit.Min)); ok && isNumber && n < least {
		return []byte(limit.Min)
	}
	if most, ok := number([]byte(limit.Max)); ok && isNumber && n > most {
		return []byte(limit.Max)
	}
	return v
}

// defaults are the values, beside null and empty ones, that say the same as
// leaving the field out.
var defaults = map[string]string{
	"frequency_penalty":   "0",
	"logprobs":            "false",
	"modalities":          `["text"]`,
	"n":                   "1",
	"parallel_tool_calls": "true",
	"presence_penalty":    "0",
	"response_format":     `{"type":"text"}`,
	"service_tier":        `"auto"`,
	"store":               "false",
	"temperature":         "1",
	"tool_choice":         `"auto"`,
	"top_logprobs":        "0",
	"top_p":               "1",
	"verbosity":           `"medium"`,
}

func isDefault(name string, v []byte) bool {
	if isEmpty(v) {
		return true
	}
	usual, ok := defaults[name]
	if !ok {
		return false
	}
	if f, isNumber := number(v); isNumber {
		return strconv.FormatFloat(f, 'g', -1, 64) == usual
	}
	return string(compact(v)) == usual
}

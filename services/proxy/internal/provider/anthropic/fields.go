package anthropic

import (
	"slices"
	"strconv"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/jsonscan"
)

// requestFields holds the request members that are translated, as raw JSON. A member is nil
// if it is absent or if its value has no effect, such as null.
type requestFields struct {
	messages, tools, toolChoice, parallelToolCalls                              []byte
	stop, temperature, topP, topK                                               []byte
	reasoningEffort, reasoning, thinking, outputConfig                          []byte
	responseFormat, user, safetyIdentifier, metadata, serviceTier, cacheControl []byte
}

func (f *requestFields) lookup(name string) *[]byte {
	return findField(name,
		field{"messages", &f.messages}, field{"tools", &f.tools}, field{"tool_choice", &f.toolChoice},
		field{"parallel_tool_calls", &f.parallelToolCalls}, field{"stop", &f.stop},
		field{"stop_sequences", &f.stop}, field{"temperature", &f.temperature}, field{"top_p", &f.topP},
		field{"top_k", &f.topK}, field{"reasoning_effort", &f.reasoningEffort},
		field{"reasoning", &f.reasoning}, field{"thinking", &f.thinking},
		field{"output_config", &f.outputConfig}, field{"response_format", &f.responseFormat},
		field{"user", &f.user}, field{"safety_identifier", &f.safetyIdentifier},
		field{"metadata", &f.metadata}, field{"service_tier", &f.serviceTier},
		field{"cache_control", &f.cacheControl},
	)
}

// unsupportedFields lists the fields for which a request is rejected. Most of them have no
// equivalent in the Messages format, and the response would differ without them. The values
// are error texts for the client.
var unsupportedFields = map[string]string{
	"n":                  "it returns one choice per request",
	"logprobs":           "it returns no log probabilities",
	"top_logprobs":       "it returns no log probabilities",
	"audio":              "it does not produce audio",
	"modalities":         "it produces text only",
	"functions":          `send "tools" instead`,
	"function_call":      `send "tool_choice" instead`,
	"web_search_options": "it has no built-in web search",
}

// unpricedFields lists the fields that change the price of a request. The catalog has no prices
// for them.
var unpricedFields = []string{"speed", "inference_geo"}

// readFields reads the members of the request. It rejects or drops unsupported members.
func (o *requestTranslator) readFields() error {
	for name, v := range jsonscan.Members(o.request.Body) {
		if err := o.readField(string(name), v); err != nil {
			return err
		}
	}
	o.maxTokens = o.computeMaxTokens()
	return nil
}

func (o *requestTranslator) readField(name string, v []byte) error {
	switch name {
	case "model", "stream", "stream_options":
		return nil
	case "max_tokens", "max_completion_tokens":
		if n, _ := parseNumber(v); o.modelMaxTokens > 0 && n > float64(o.modelMaxTokens) {
			o.reportDropped(name)
		}
		return nil
	}
	why, isUnsupported := unsupportedFields[name]
	dst := o.fields.lookup(name)
	switch {
	case isDefaultValue(name, v):
	case slices.Contains(o.wire.Reject, name):
		return unsupportedError(name, "the model does not accept it")
	case slices.Contains(o.wire.Drop, name):
		o.reportDropped(name)
	case isUnsupported:
		return unsupportedError(name, why)
	case slices.Contains(unpricedFields, name):
		return unsupportedOptionError(name, name+" is not supported: Signalbox has no price for requests with this option")
	case dst == nil:
		o.reportDropped(name)
	default:
		*dst = o.adaptValue(name, v)
	}
	return nil
}

// adaptValue replaces a value that the model does not accept, according to wire.Limits
// and wire.Values. It returns nil if wire.Values removes the field.
func (o *requestTranslator) adaptValue(name string, v []byte) []byte {
	if limit, ok := o.wire.Limits[name]; ok {
		bounded := clampNumber(v, limit)
		if string(bounded) != string(v) {
			o.reportDropped(name)
		}
		return bounded
	}
	replacement, ok := o.wire.Values[name][stringValue(v)]
	switch {
	case !ok:
		return v
	case replacement == "":
		o.reportDropped(name)
		return nil
	}
	return quoteString(replacement)
}

func clampNumber(v []byte, limit catalog.Limit) []byte {
	n, isNumber := parseNumber(v)
	if minimum, ok := parseNumber([]byte(limit.Min)); ok && isNumber && n < minimum {
		return []byte(limit.Min)
	}
	if maximum, ok := parseNumber([]byte(limit.Max)); ok && isNumber && n > maximum {
		return []byte(limit.Max)
	}
	return v
}

// defaultValues lists, for each field, the value that has the same effect as omitting the
// field. The values null, {} and [] have this effect for every field.
var defaultValues = map[string]string{
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

func isDefaultValue(name string, v []byte) bool {
	if isEmpty(v) {
		return true
	}
	defaultValue, ok := defaultValues[name]
	if !ok {
		return false
	}
	if f, isNumber := parseNumber(v); isNumber {
		return strconv.FormatFloat(f, 'g', -1, 64) == defaultValue
	}
	return string(compactJSON(v)) == defaultValue
}

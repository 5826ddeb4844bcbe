package outbound

import (
	"bytes"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/pkg/jsonscan"
)

// defaultValues lists, for each field, the values that have the same effect as
// omitting the field. isDefaultValue handles null, false and empty values separately.
var defaultValues = map[string][]string{
	"frequency_penalty":   {"0"},
	"modalities":          {`["text"]`},
	"n":                   {"1"},
	"parallel_tool_calls": {"true"},
	"presence_penalty":    {"0"},
	"response_format":     {`{"type":"text"}`},
	"service_tier":        {`"auto"`, `"default"`},
	"temperature":         {"1"},
	"tool_choice":         {`"auto"`},
	"top_logprobs":        {"0"},
	"top_p":               {"1"},
	"verbosity":           {`"medium"`},
}

// maxDefaultLength is above the length of any default value, even if the client
// adds white space.
const maxDefaultLength = 64

// IsDefault reports whether a field has the same meaning as if it were omitted.
func IsDefault(name string, v jsontext.Value) bool { return isDefaultValue([]byte(name), v) }

// isDefaultValue implements IsDefault. False and empty values have the same meaning as
// omitting the field, except for parallel_tool_calls.
func isDefaultValue(name []byte, v jsontext.Value) bool {
	if jsonscan.IsEmptyOrFalse(v) {
		return jsonscan.IsNull(v) || string(name) != "parallel_tool_calls"
	}
	known := defaultValues[string(name)]
	if len(v) > maxDefaultLength || len(known) == 0 {
		return false
	}
	if f, err := strconv.ParseFloat(string(v), 64); err == nil {
		v = strconv.AppendFloat(nil, f, 'g', -1, 64)
	}
	return slices.Contains(known, string(bytes.Join(bytes.Fields(v), nil)))
}

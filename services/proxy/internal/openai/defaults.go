package openai

import (
	"bytes"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// defaults are the values, beside null and those that are nothing, which say
// the same as leaving the field out.
var defaults = map[string][]string{
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

// maxDefault is longer than any of them, however it is written.
const maxDefault = 64

// IsDefault tells whether a field of a request says what leaving it out says.
func IsDefault(name string, v jsontext.Value) bool { return isDefault([]byte(name), v) }

// isDefault tells whether a field says nothing. Only of parallel_tool_calls is
// false something.
func isDefault(name []byte, v jsontext.Value) bool {
	if isNothing(v) {
		return isNull(v) || string(name) != "parallel_tool_calls"
	}
	known := defaults[string(name)]
	if len(v) > maxDefault || len(known) == 0 {
		return false
	}
	if f, err := strconv.ParseFloat(string(v), 64); err == nil {
		v = strconv.AppendFloat(nil, f, 'g', -1, 64)
	}
	return slices.Contains(known, string(bytes.Join(bytes.Fields(v), nil)))
}

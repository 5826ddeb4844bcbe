package openai

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/signalbox/signalbox/pkg/testkit/emulate/server"
)

func (r *chatRequest) checkTools() *server.Problem {
	if len(r.Tools) == 0 && (server.JSONType(r.ToolChoice) == "object" || server.DecodeString(r.ToolChoice) == "required") {
		return invalidFieldError("tool_choice", "", "Invalid value for 'tool_choice': 'tool_choice' is only allowed when 'tools' are specified.")
	}
	if len(r.Tools) == 0 && r.Parallel != nil {
		return invalidFieldError("parallel_tool_calls", "", "Invalid value for 'parallel_tool_calls': 'parallel_tool_calls' is only allowed when 'tools' are specified.")
	}
	if len(r.Tools) > 128 {
		return invalidFieldError("tools", "array_above_max_length", "Invalid 'tools': array too long. Expected an array with maximum length 128, but got an array with length %d instead.", len(r.Tools))
	}
	for i, t := range r.Tools {
		at := fmt.Sprintf("tools[%d].function.name", i)
		if !server.IsValidName(t.Function.Name, 64) {
			return invalidFieldError(at, "invalid_value", "Invalid '%s': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.", at)
		}
		var s server.Schema
		if len(t.Function.Parameters) > 0 && (json.Unmarshal(t.Function.Parameters, &s) != nil || s.Kind() != "object") {
			return invalidFieldError(fmt.Sprintf("tools[%d].function.parameters", i), "invalid_function_parameters", "Invalid schema for function '%s': schema must be a JSON Schema of 'type: \"object\"'.", t.Function.Name)
		}
		if t.Function.Strict != nil && *t.Function.Strict && !forbidsExtraMembers(t.Function.Parameters, 0) {
			return invalidFieldError(fmt.Sprintf("tools[%d].function.parameters", i), "invalid_function_parameters", "Invalid schema for function '%s': In context=(), 'additionalProperties' is required to be supplied and to be false.", t.Function.Name)
		}
	}
	return nil
}

func (r *chatRequest) checkFormat() *server.Problem {
	f := r.ResponseFormat
	if f == nil || f.Type == "text" {
		return nil
	}
	switch f.Type {
	case "json_object":
		if !r.mentionsJSON() {
			return invalidFieldError("messages", "", "'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'.")
		}
	case "json_schema":
		if !server.IsValidName(f.Schema.Name, 64) {
			return invalidFieldError("response_format.json_schema.name", "missing_required_parameter", "Missing required parameter: 'response_format.json_schema.name'.")
		}
		if f.Schema.Strict != nil && *f.Schema.Strict && !forbidsExtraMembers(f.Schema.Schema, 0) {
			return invalidFieldError("response_format", "", "Invalid schema for response_format '%s': In context=(), 'additionalProperties' is required to be supplied and to be false.", f.Schema.Name)
		}
	default:
		return invalidFieldError("response_format.type", "invalid_value", "Invalid value: '%s'. Supported values are: 'json_object', 'json_schema', and 'text'.", f.Type)
	}
	return nil
}

func (r *chatRequest) mentionsJSON() bool {
	return slices.ContainsFunc(r.Messages, func(m chatMessage) bool {
		return strings.Contains(strings.ToLower(string(m.Content)), "json")
	})
}

// forbidsExtraMembers reports whether every object of a schema forbids additional members.
func forbidsExtraMembers(raw json.RawMessage, depth int) bool {
	var s struct {
		server.Schema
		Additional json.RawMessage `json:"additionalProperties"`
	}
	if depth > server.MaxDepth || json.Unmarshal(raw, &s) != nil {
		return depth > server.MaxDepth
	}
	if len(s.Type) > 0 && s.Kind() == "object" && string(s.Additional) != "false" {
		return false
	}
	below := slices.Concat(s.AnyOf, s.OneOf, slices.Collect(maps.Values(s.Properties)))
	if len(s.Items) > 0 {
		below = append(below, s.Items)
	}
	return !slices.ContainsFunc(below, func(one json.RawMessage) bool { return !forbidsExtraMembers(one, depth+1) })
}

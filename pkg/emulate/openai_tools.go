package emulate

import (
	"encoding/json"
	"fmt"
	"strings"
)

func (r *chatRequest) toolRules() *problem {
	if len(r.Tools) == 0 && (kindOf(r.ToolChoice) == "object" || text(r.ToolChoice) == "required") {
		return invalid("tool_choice", "", "Invalid value for 'tool_choice': 'tool_choice' is only allowed when 'tools' are specified.")
	}
	if len(r.Tools) == 0 && r.Parallel != nil {
		return invalid("parallel_tool_calls", "", "Invalid value for 'parallel_tool_calls': 'parallel_tool_calls' is only allowed when 'tools' are specified.")
	}
	if len(r.Tools) > 128 {
		return invalid("tools", "array_above_max_length", "Invalid 'tools': array too long. Expected an array with maximum length 128, but got an array with length %d instead.", len(r.Tools))
	}
	for i, t := range r.Tools {
		at := fmt.Sprintf("tools[%d].function.name", i)
		if !wordly(t.Function.Name, 64) {
			return invalid(at, "invalid_value", "Invalid '%s': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.", at)
		}
		var s schema
		if len(t.Function.Parameters) > 0 && (json.Unmarshal(t.Function.Parameters, &s) != nil || s.kind() != "object") {
			return invalid(fmt.Sprintf("tools[%d].function.parameters", i), "invalid_function_parameters", "Invalid schema for function '%s': schema must be a JSON Schema of 'type: \"object\"'.", t.Function.Name)
		}
		if t.Function.Strict != nil && *t.Function.Strict && !closed(t.Function.Parameters, 0) {
			return invalid(fmt.Sprintf("tools[%d].function.parameters", i), "invalid_function_parameters", "Invalid schema for function '%s': In context=(), 'additionalProperties' is required to be supplied and to be false.", t.Function.Name)
		}
	}
	return nil
}

func (r *chatRequest) formatRules() *problem {
	f := r.ResponseFormat
	if f == nil || f.Type == "text" {
		return nil
	}
	switch f.Type {
	case "json_object":
		if !r.mentionJSON() {
			return invalid("messages", "", "'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'.")
		}
	case "json_schema":
		if !wordly(f.Schema.Name, 64) {
			return invalid("response_format.json_schema.name", "missing_required_parameter", "Missing required parameter: 'response_format.json_schema.name'.")
		}
		if f.Schema.Strict != nil && *f.Schema.Strict && !closed(f.Schema.Schema, 0) {
			return invalid("response_format", "", "Invalid schema for response_format '%s': In context=(), 'additionalProperties' is required to be supplied and to be false.", f.Schema.Name)
		}
	default:
		return invalid("response_format.type", "invalid_value", "Invalid value: '%s'. Supported values are: 'json_object', 'json_schema', and 'text'.", f.Type)
	}
	return nil
}

func (r *chatRequest) mentionJSON() bool {
	for _, m := range r.Messages {
		if strings.Contains(strings.ToLower(string(m.Content)), "json") {
			return true
		}
	}
	return false
}

// closed reports whether every object of a schema forbids additional members.
func closed(raw json.RawMessage, depth int) bool {
	var s struct {
		schema
		Additional json.RawMessage `json:"additionalProperties"`
	}
	if depth > maxDepth || json.Unmarshal(raw, &s) != nil {
		return depth > maxDepth
	}
	if len(s.Type) > 0 && s.kind() == "object" && string(s.Additional) != "false" {
		return false
	}
	below := append(append([]json.RawMessage{}, s.AnyOf...), s.OneOf...)
	if len(s.Items) > 0 {
		below = append(below, s.Items)
	}
	for _, member := range s.Properties {
		below = append(below, member)
	}
	for _, one := range below {
		if !closed(one, depth+1) {
			return false
		}
	}
	return true
}

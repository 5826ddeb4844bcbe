package server

import (
	"encoding/json"
	"strings"
)

const (
	// MaxDepth limits the depth of recursive schemas.
	MaxDepth = 12
	// maxValues limits the number of values in a sample.
	maxValues = 1000
)

// Schema is the part of JSON Schema that sample supports. Google's schema format is similar.
type Schema struct {
	Type       json.RawMessage            `json:"type"`
	Properties map[string]json.RawMessage `json:"properties"`
	Required   []string                   `json:"required"`
	Enum       []json.RawMessage          `json:"enum"`
	Const      json.RawMessage            `json:"const"`
	Items      json.RawMessage            `json:"items"`
	MinItems   json.RawMessage            `json:"minItems"`
	Minimum    *float64                   `json:"minimum"`
	AnyOf      []json.RawMessage          `json:"anyOf"`
	OneOf      []json.RawMessage          `json:"oneOf"`
	AllOf      []json.RawMessage          `json:"allOf"`
	Ref        string                     `json:"$ref"`
}

type sampler struct {
	defs map[string]json.RawMessage
	left int
}

// sample returns a small JSON value that satisfies the schema. Objects contain only their required
// members. For an invalid schema it returns an empty object.
func sample(raw json.RawMessage) string {
	var root struct {
		Defs        map[string]json.RawMessage `json:"$defs"`
		Definitions map[string]json.RawMessage `json:"definitions"`
	}
	_ = json.Unmarshal(raw, &root)
	s := sampler{defs: root.Defs, left: maxValues}
	if s.defs == nil {
		s.defs = root.Definitions
	}
	return EncodeJSON(s.sampleValue(raw, "value", 0))
}

func (s *sampler) sampleValue(raw json.RawMessage, name string, depth int) any {
	var d Schema
	s.left--
	if s.left < 0 || depth > MaxDepth || json.Unmarshal(raw, &d) != nil {
		return struct{}{}
	}
	for _, one := range [][]json.RawMessage{d.AnyOf, d.OneOf, d.AllOf} {
		if len(one) > 0 {
			return s.sampleValue(one[0], name, depth+1)
		}
	}
	switch {
	case d.Ref != "":
		return s.sampleValue(s.defs[d.Ref[strings.LastIndexByte(d.Ref, '/')+1:]], name, depth+1)
	case len(d.Const) > 0:
		return d.Const
	case len(d.Enum) > 0:
		return d.Enum[0]
	}
	return s.sampleTyped(d, name, depth)
}

func (s *sampler) sampleTyped(d Schema, name string, depth int) any {
	switch d.Kind() {
	case "array":
		list := []any{}
		for range min(parseCount(d.MinItems), 8) {
			list = append(list, s.sampleValue(d.Items, name, depth+1))
		}
		return list
	case "integer", "number":
		if d.Minimum != nil {
			return *d.Minimum
		}
		return 1
	case "boolean":
		return true
	case "string":
		return "some " + name
	case "null":
		return nil
	}
	o := map[string]any{}
	for _, member := range d.Required {
		o[member] = s.sampleValue(d.Properties[member], member, depth+1)
	}
	return o
}

// Kind returns the type in lower case, because Google uses upper case. If there are several types, it
// returns the first one that is not null. The default is object.
func (d Schema) Kind() string {
	if JSONType(d.Type) == "string" {
		return strings.ToLower(DecodeString(d.Type))
	}
	var several []string
	_ = json.Unmarshal(d.Type, &several)
	for _, k := range several {
		if k != "null" {
			return k
		}
	}
	return "object"
}

// parseCount reads a count. Google encodes counts as strings.
func parseCount(raw json.RawMessage) int {
	var n int
	if json.Unmarshal(raw, &n) != nil {
		_ = json.Unmarshal([]byte(DecodeString(raw)), &n)
	}
	return max(n, 0)
}

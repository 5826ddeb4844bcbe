package sandbox

import (
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

const (
	// maxDepth ends schemas that contain themselves.
	maxDepth = 12
	// maxWork bounds what the samples of one answer may cost: a schema of a
	// few lines can ask for billions of values.
	maxWork = 1000
)

// schema is the part of JSON Schema that samples are made from.
type schema struct {
	Type       jsontext.Value            `json:"type"`
	Properties map[string]jsontext.Value `json:"properties"`
	Required   []string                  `json:"required"`
	Enum       []jsontext.Value          `json:"enum"`
	Const      jsontext.Value            `json:"const"`
	Items      jsontext.Value            `json:"items"`
	MinItems   int                       `json:"minItems"`
	Minimum    *float64                  `json:"minimum"`
	Format     string                    `json:"format"`
	AnyOf      []jsontext.Value          `json:"anyOf"`
	OneOf      []jsontext.Value          `json:"oneOf"`
	Ref        string                    `json:"$ref"`
}

// sampler makes the samples of one answer.
type sampler struct {
	// defs are the definitions that references point to.
	defs map[string]jsontext.Value
	// left is how much more may be done: a unit for every value, and one for
	// every KiB of schema that is read for it.
	left int
}

func newSampler() *sampler { return &sampler{left: maxWork} }

// text is a small JSON value that satisfies the schema, so far as the sandbox
// understands it; an object for a schema it cannot read. When the work is used
// up, what is missing in it are empty objects.
func (s *sampler) text(raw jsontext.Value) string {
	var root struct {
		Defs        map[string]jsontext.Value `json:"$defs"`
		Definitions map[string]jsontext.Value `json:"definitions"`
	}
	if json.Unmarshal(raw, &root) != nil {
		return "{}"
	}
	s.defs = root.Defs
	if s.defs == nil {
		s.defs = root.Definitions
	}
	return encode(s.sample(raw, "value", 0))
}

func (s *sampler) sample(raw jsontext.Value, name string, depth int) any {
	s.left -= 1 + len(raw)>>10
	var d schema
	if s.left < 0 || depth > maxDepth || json.Unmarshal(raw, &d) != nil {
		return struct{}{}
	}
	switch {
	case d.Ref != "":
		return s.sample(s.defs[d.Ref[strings.LastIndexByte(d.Ref, '/')+1:]], name, depth+1)
	case len(d.Const) > 0:
		return d.Const
	case len(d.Enum) > 0:
		return d.Enum[0]
	case len(d.AnyOf) > 0:
		return s.sample(d.AnyOf[0], name, depth+1)
	case len(d.OneOf) > 0:
		return s.sample(d.OneOf[0], name, depth+1)
	}
	switch d.kind() {
	case "array":
		return s.array(d, name, depth)
	case "object":
		return s.object(d, depth)
	}
	return d.scalar(name)
}

// kind is the type; of several, the first that is not null.
func (d schema) kind() string {
	var one string
	if json.Unmarshal(d.Type, &one) == nil && one != "" {
		return one
	}
	var many []string
	if json.Unmarshal(d.Type, &many) == nil {
		for _, k := range many {
			if k != "null" {
				return k
			}
		}
	}
	if len(d.Items) > 0 {
		return "array"
	}
	return "object"
}

func (s *sampler) object(d schema, depth int) any {
	o := map[string]any{}
	for _, name := range d.Required {
		o[name] = s.sample(d.Properties[name], name, depth+1)
	}
	return o
}

func (s *sampler) array(d schema, name string, depth int) any {
	list := []any{}
	// A bound keeps a hostile minItems from filling the memory.
	for range min(max(1, d.MinItems), 8) {
		if len(d.Items) > 0 {
			list = append(list, s.sample(d.Items, name, depth+1))
		}
	}
	return list
}

func (d schema) scalar(name string) any {
	switch d.kind() {
	case "integer", "number":
		if d.Minimum != nil {
			return *d.Minimum
		}
		return 1
	case "boolean":
		return true
	case "null":
		return nil
	}
	switch d.Format {
	case "date":
		return "2026-01-31"
	case "date-time":
		return "2026-01-31T12:00:00Z"
	case "email":
		return "sample@example.com"
	case "uri":
		return "https://example.com/"
	case "uuid":
		return "00000000-0000-4000-8000-000000000000"
	}
	return "sample " + name
}

package sandbox

import (
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

const (
	// maxDepth limits the depth of nested and recursive schemas.
	maxDepth = 12
	// maxSampleWork limits the work for the samples of one response, because a short schema
	// can describe billions of values.
	maxSampleWork = 1000
)

// schema holds the JSON Schema keywords from which samples are generated.
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

// schemaSampler generates the sample values of one response.
type schemaSampler struct {
	// definitions holds the schemas that references point to.
	definitions map[string]jsontext.Value
	// workLeft is the remaining work. Every value takes one unit of work, and one more unit
	// for each KiB of its schema.
	workLeft int
}

func newSchemaSampler() *schemaSampler { return &schemaSampler{workLeft: maxSampleWork} }

// sampleJSON returns a small JSON value that satisfies the schema, as far as the sandbox
// supports its keywords. It returns an empty object if the schema cannot be parsed. Once
// workLeft is used up, the remaining values are empty objects.
func (s *schemaSampler) sampleJSON(raw jsontext.Value) string {
	var root struct {
		Defs        map[string]jsontext.Value `json:"$defs"`
		Definitions map[string]jsontext.Value `json:"definitions"`
	}
	if json.Unmarshal(raw, &root) != nil {
		return "{}"
	}
	s.definitions = root.Defs
	if s.definitions == nil {
		s.definitions = root.Definitions
	}
	return encodeOrEmpty(s.sampleValue(raw, "value", 0))
}

func (s *schemaSampler) sampleValue(raw jsontext.Value, name string, depth int) any {
	s.workLeft -= 1 + len(raw)>>10
	var d schema
	if s.workLeft < 0 || depth > maxDepth || json.Unmarshal(raw, &d) != nil {
		return struct{}{}
	}
	switch {
	case d.Ref != "":
		return s.sampleValue(s.definitions[d.Ref[strings.LastIndexByte(d.Ref, '/')+1:]], name, depth+1)
	case len(d.Const) > 0:
		return d.Const
	case len(d.Enum) > 0:
		return d.Enum[0]
	case len(d.AnyOf) > 0:
		return s.sampleValue(d.AnyOf[0], name, depth+1)
	case len(d.OneOf) > 0:
		return s.sampleValue(d.OneOf[0], name, depth+1)
	}
	switch d.typeName() {
	case "array":
		return s.sampleArray(d, name, depth)
	case "object":
		return s.sampleObject(d, depth)
	}
	return d.sampleScalar(name)
}

// typeName returns the type of the schema. If there are several types, it returns the first
// one that is not null. Without a type, it returns array or object.
func (d schema) typeName() string {
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

func (s *schemaSampler) sampleObject(d schema, depth int) any {
	o := map[string]any{}
	for _, name := range d.Required {
		o[name] = s.sampleValue(d.Properties[name], name, depth+1)
	}
	return o
}

func (s *schemaSampler) sampleArray(d schema, name string, depth int) any {
	list := []any{}
	// The limit stops a large minItems from using too much memory.
	for range min(max(1, d.MinItems), 8) {
		if len(d.Items) > 0 {
			list = append(list, s.sampleValue(d.Items, name, depth+1))
		}
	}
	return list
}

func (d schema) sampleScalar(name string) any {
	switch d.typeName() {
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

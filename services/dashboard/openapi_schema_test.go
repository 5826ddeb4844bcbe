package dashboard_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
)

// schema is the subset of JSON Schema that openapi.json uses.
type schema struct {
	Ref         string            `json:"$ref"`
	Type        oneOrMore         `json:"type"`
	Format      string            `json:"format"`
	Enum        []any             `json:"enum"`
	OneOf       []schema          `json:"oneOf"`
	Items       *schema           `json:"items"`
	Properties  map[string]schema `json:"properties"`
	Required    []string          `json:"required"`
	Description string            `json:"description"`
	// Additional is false, true or a schema.
	Additional json.RawMessage `json:"additionalProperties"`
	Minimum    int             `json:"minimum"`
	Maximum    int             `json:"maximum"`
	Default    any             `json:"default"`
}

type oneOrMore []string

func (o *oneOrMore) UnmarshalJSON(b []byte) error {
	var one string
	if json.Unmarshal(b, &one) == nil {
		*o = oneOrMore{one}
		return nil
	}
	return json.Unmarshal(b, (*[]string)(o))
}

// check returns where a value differs from the schema. Numbers must be decoded as
// json.Number.
func (d *description) check(s schema, v any, at string) error {
	if s.Ref != "" {
		return d.check(d.schema(s.Ref), v, at)
	}
	if len(s.OneOf) > 0 {
		return d.oneOf(s.OneOf, v, at)
	}
	// Every integer is a number, as JSON Schema defines it.
	if kind := kindOf(v); !slices.Contains(s.Type, kind) && (kind != "integer" || !slices.Contains(s.Type, "number")) {
		return fmt.Errorf("%s is of type %s, not %s", at, kind, strings.Join(s.Type, " or "))
	}
	if len(s.Enum) > 0 && !slices.Contains(s.Enum, v) {
		return fmt.Errorf("%s is %v, which is none of %v", at, v, s.Enum)
	}
	switch v := v.(type) {
	case string:
		return formed(s.Format, v, at)
	case []any:
		return d.items(*s.Items, v, at)
	case map[string]any:
		return d.members(s, v, at)
	}
	return nil
}

func (d *description) oneOf(all []schema, v any, at string) (err error) {
	for _, s := range all {
		if err = d.check(s, v, at); err == nil {
			return nil
		}
		if v != nil { // null is allowed for the others
			return err
		}
	}
	return err
}

func (d *description) items(s schema, all []any, at string) error {
	for i, v := range all {
		if err := d.check(s, v, fmt.Sprintf("%s[%d]", at, i)); err != nil {
			return err
		}
	}
	return nil
}

func (d *description) members(s schema, v map[string]any, at string) error {
	for _, name := range s.Required {
		if _, there := v[name]; !there {
			return fmt.Errorf("%s has no %s", at, name)
		}
	}
	for name, value := range v {
		one, known := s.Properties[name]
		switch {
		case known:
		case string(s.Additional) == "true":
			continue
		case len(s.Additional) == 0 || json.Unmarshal(s.Additional, &one) != nil:
			return fmt.Errorf("%s has an undescribed member %s", at, name)
		}
		if err := d.check(one, value, at+"."+name); err != nil {
			return err
		}
	}
	return nil
}

func kindOf(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case string:
		return "string"
	case bool:
		return "boolean"
	case []any:
		return "array"
	case map[string]any:
		return "object"
	case json.Number:
		if _, err := v.Int64(); err == nil {
			return "integer"
		}
	}
	return "number"
}

func formed(format, text, at string) (err error) {
	switch format {
	case "date-time":
		_, err = time.Parse(time.RFC3339Nano, text)
	case "date":
		_, err = time.Parse(time.DateOnly, text)
	case "uuid":
		_, err = uuid.Parse(text)
	}
	if err != nil {
		return fmt.Errorf("%s is %q, which is no %s", at, text, format)
	}
	return nil
}

package signals

import (
	"encoding/json"
	"errors"
	"io"
	"reflect"
	"strings"
)

// maxSteps limits the work of one check, because clients choose the schemas: nested allOf
// can take exponential time. No JSON Schema library offers such a limit, so the common
// keywords are checked here. Others are ignored: a check may miss a violation, but never
// invents one.
const maxSteps = 20_000

// checkSchema returns how a value violates a schema, or "". A nil schema accepts anything.
func checkSchema(schema, value any) string {
	c := checker{root: schema, steps: maxSteps}
	return c.check(schema, value, "$")
}

type checker struct {
	root  any
	steps int
}

// maxPath is how much of a path a reason contains, in bytes.
const maxPath = 120

func (c *checker) check(schema, value any, path string) string {
	if c.steps--; c.steps < 0 || len(path) > maxPath {
		return ""
	}
	s, ok := schema.(map[string]any)
	if !ok {
		return ""
	}
	if ref, ok := s["$ref"].(string); ok {
		return c.check(c.resolve(ref), value, path)
	}
	if value == nil && s["nullable"] == true {
		return ""
	}
	if !hasType(s["type"], value) {
		return "the value at " + path + " has the wrong type"
	}
	if enum, ok := s["enum"].([]any); ok && !contains(enum, value) {
		return "the value at " + path + " is not one of the allowed values"
	}
	if constant, ok := s["const"]; ok && !reflect.DeepEqual(constant, value) {
		return "the value at " + path + " is not the required one"
	}
	for _, check := range []func(map[string]any, any, string) string{c.checkObject, c.checkItems, c.checkAll, c.checkAny} {
		if problem := check(s, value, path); problem != "" {
			return problem
		}
	}
	return ""
}

// resolve finds a schema by a reference within the document. References to other documents
// are not followed.
func (c *checker) resolve(ref string) any {
	rest, ok := strings.CutPrefix(ref, "#")
	if !ok {
		return nil
	}
	at := c.root
	for part := range strings.SplitSeq(strings.TrimPrefix(rest, "/"), "/") {
		if part == "" {
			continue
		}
		m, ok := at.(map[string]any)
		if !ok {
			return nil
		}
		at = m[strings.NewReplacer("~1", "/", "~0", "~").Replace(part)]
	}
	return at
}

func (c *checker) checkObject(s map[string]any, value any, path string) string {
	object, ok := value.(map[string]any)
	if !ok {
		return ""
	}
	required, _ := s["required"].([]any)
	for _, name := range required {
		if text, ok := name.(string); ok {
			if _, there := object[text]; !there {
				return "the value at " + path + " has no " + text
			}
		}
	}
	properties, _ := s["properties"].(map[string]any)
	_, hasPatterns := s["patternProperties"]
	for name, v := range object {
		sub, known := properties[name]
		switch {
		case known:
			if problem := c.check(sub, v, path+"."+name); problem != "" {
				return problem
			}
		case s["additionalProperties"] == false && !hasPatterns:
			return "the value at " + path + " has a field that is not allowed"
		}
	}
	return ""
}

func (c *checker) checkItems(s map[string]any, value any, path string) string {
	list, ok := value.([]any)
	items, described := s["items"].(map[string]any)
	if !ok || !described || s["prefixItems"] != nil {
		return ""
	}
	for _, v := range list {
		if problem := c.check(items, v, path+"[]"); problem != "" {
			return problem
		}
	}
	return ""
}

func (c *checker) checkAll(s map[string]any, value any, path string) string {
	all, _ := s["allOf"].([]any)
	for _, sub := range all {
		if problem := c.check(sub, value, path); problem != "" {
			return problem
		}
	}
	return ""
}

// checkAny checks anyOf and oneOf. That two schemas of oneOf match is not reported.
func (c *checker) checkAny(s map[string]any, value any, path string) string {
	for _, keyword := range []string{"anyOf", "oneOf"} {
		options, _ := s[keyword].([]any)
		problem := ""
		for _, sub := range options {
			if problem = c.check(sub, value, path); problem == "" {
				break
			}
		}
		if problem != "" {
			return "the value at " + path + " matches none of the alternatives"
		}
	}
	return ""
}

func contains(all []any, value any) bool {
	for _, one := range all {
		if reflect.DeepEqual(one, value) {
			return true
		}
	}
	return false
}

// hasType compares a value with the type of a schema: a name, a list of names, or none.
// Google writes the names in upper case.
func hasType(want, value any) bool {
	switch want := want.(type) {
	case string:
		return isOfType(strings.ToLower(want), value)
	case []any:
		for _, one := range want {
			if hasType(one, value) {
				return true
			}
		}
		return len(want) == 0
	}
	return true
}

func isOfType(name string, value any) bool {
	switch v := value.(type) {
	case nil:
		return name == "null"
	case bool:
		return name == "boolean"
	case string:
		return name == "string"
	case float64:
		return name == "number" || name == "integer" && v == float64(int64(v))
	case []any:
		return name == "array"
	case map[string]any:
		return name == "object"
	}
	return true
}

// parseJSON parses a text that must be one JSON value. Models often put it into a Markdown
// fence, which clients that asked for JSON do not expect.
func parseJSON(text string) (value any, err error) {
	d := json.NewDecoder(strings.NewReader(text))
	if err := d.Decode(&value); err != nil {
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("text after the JSON value")
	}
	return value, nil
}

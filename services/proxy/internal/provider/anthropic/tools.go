package anthropic

import (
	"slices"
	"strings"

	"github.com/signalbox/signalbox/services/proxy/internal/jsonscan"
)

// tool is one of the request's, as the client wrote it.
type tool struct {
	kind                                                   string
	function, custom                                       []byte
	name, description, parameters, schema, strict, caching []byte
	// others are members that the format does not have.
	others []string
}

// readTools defines the request's tools, or, where it has none but the
// conversation used some, those.
func (o *outbound) readTools() error {
	for raw := range jsonscan.Elements(o.in.tools) {
		if err := o.tool(raw); err != nil {
			return err
		}
	}
	o.undefined = len(o.tools) == 0
	if !o.undefined {
		return nil
	}
	for _, name := range o.used {
		o.tools = appendMember(append(o.tools, '{'), "name", name)
		o.tools = append(o.tools, `"input_schema":{"type":"object"}},`...)
	}
	return nil
}

func (o *outbound) tool(raw []byte) error {
	var t tool
	t.read(raw)
	at := "tools[]."
	switch {
	case t.custom != nil:
		return unsupported("tools", "it calls functions only")
	case isObject(t.function):
		o.dropEach(at, t.others)
		at, t.others = "tools[].function.", nil
		t.read(t.function)
	case t.schema != nil || t.isNative():
		// It is in the format already.
		o.tools = append(append(o.tools, raw...), ',')
		return nil
	case t.kind != "" && t.kind != "function":
		return unsupported("tools", "the provider's own tools have a price of their own")
	}
	o.dropEach(at, t.others)
	return o.define(&t)
}

// isNative tells whether it is one of the format's own tools that the client
// runs.
func (t *tool) isNative() bool {
	for _, kind := range []string{"bash_", "text_editor_", "memory_"} {
		if strings.HasPrefix(t.kind, kind) {
			return true
		}
	}
	return false
}

func (t *tool) read(raw []byte) {
	for name, v := range jsonscan.Members(raw) {
		if isNull(v) {
			continue
		}
		switch string(name) {
		case "type":
			t.kind = word(v)
		case "function":
			t.function = v
		case "custom":
			t.custom = v
		case "name":
			t.name = v
		case "description":
			t.description = v
		case "parameters":
			t.parameters = v
		case "input_schema":
			t.schema = v
		case "strict":
			t.strict = v
		case "cache_control":
			t.caching = v
		default:
			if !isEmpty(v) {
				t.others = append(t.others, string(name))
			}
		}
	}
}

// define writes a function's definition. A strict one has a schema that the
// format can hold a model to.
func (o *outbound) define(t *tool) error {
	strict := isTrue(t.strict)
	if strict && slices.Contains(o.wire.Drop, "tools[].function.strict") {
		o.drop("tools[].function.strict")
		strict = false
	}
	schema := asObject(t.parameters)
	if strict {
		rewritten, err := rewriteSchema(schema, "tools")
		if err != nil {
			return err
		}
		schema = rewritten
	}
	dst := appendMember(append(o.tools, '{'), "name", o.names.clean(t.name))
	dst = appendMember(dst, "description", t.description)
	dst = appendMember(dst, "input_schema", schema)
	if strict {
		dst = append(dst, `"strict":true,`...)
	}
	dst = appendMember(dst, "cache_control", t.caching)
	o.tools = closed(dst, "},")
	return nil
}

// asObject is the schema of a function's parameters with the type that the
// format wants it to name.
func asObject(schema []byte) []byte {
	if isEmpty(schema) || !isObject(schema) {
		return []byte(`{"type":"object","properties":{}}`)
	}
	for name := range jsonscan.Members(schema) {
		if string(name) == "type" {
			return schema
		}
	}
	return append([]byte(`{"type":"object",`), schema[1:]...)
}

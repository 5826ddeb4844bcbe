package anthropic

import (
	"slices"
	"strings"

	"github.com/signalbox/signalbox/pkg/jsonscan"
)

// toolDefinition is one tool of the request, as raw JSON.
type toolDefinition struct {
	rawKind, function, custom                                   []byte
	name, description, parameters, schema, strict, cacheControl []byte
	// unknownFields names the members that readFrom does not read, except empty ones.
	unknownFields []string
}

// readTools translates the tools of the request. If there are none, it defines the tools
// that the conversation called, because the Anthropic API requires their definitions.
func (o *requestTranslator) readTools() error {
	for raw := range jsonscan.Elements(o.fields.tools) {
		if err := o.addTool(raw); err != nil {
			return err
		}
	}
	o.toolsUndefined = len(o.tools) == 0
	if !o.toolsUndefined {
		return nil
	}
	for _, name := range o.calledTools {
		o.tools = appendMember(append(o.tools, '{'), "name", name)
		o.tools = append(o.tools, `"input_schema":{"type":"object"}},`...)
	}
	return nil
}

func (o *requestTranslator) addTool(raw []byte) error {
	var t toolDefinition
	t.readFrom(raw)
	prefix := "tools[]."
	switch {
	case t.custom != nil:
		return unsupportedError("tools", "it supports function tools only")
	case isObject(t.function):
		o.reportDroppedEach(prefix, t.unknownFields)
		prefix, t.unknownFields = "tools[].function.", nil
		t.readFrom(t.function)
	case t.schema != nil || t.isNativeClientTool():
		// The tool is already in the Messages format.
		o.tools = append(append(o.tools, raw...), ',')
		return nil
	case t.kind() != "" && t.kind() != "function":
		return unsupportedOptionError("tools", "tools: the provider's built-in tools are not supported, because they are billed separately; send function tools instead")
	}
	o.reportDroppedEach(prefix, t.unknownFields)
	return o.writeDefinition(&t)
}

// isNativeClientTool reports whether the tool is one of Anthropic's own tools that the
// client runs itself.
func (t *toolDefinition) isNativeClientTool() bool {
	return slices.ContainsFunc([]string{"bash_", "text_editor_", "memory_"}, func(prefix string) bool {
		return strings.HasPrefix(t.kind(), prefix)
	})
}

func (t *toolDefinition) readFrom(raw []byte) {
	for name, v := range jsonscan.Members(raw) {
		dst := findField(string(name), field{"type", &t.rawKind}, field{"function", &t.function}, field{"custom", &t.custom},
			field{"name", &t.name}, field{"description", &t.description}, field{"parameters", &t.parameters},
			field{"input_schema", &t.schema}, field{"strict", &t.strict}, field{"cache_control", &t.cacheControl})
		switch {
		case jsonscan.IsNull(v):
		case dst != nil:
			*dst = v
		case !isEmpty(v):
			t.unknownFields = append(t.unknownFields, string(name))
		}
	}
}

// kind returns the type of the tool, or "" if it has none.
func (t *toolDefinition) kind() string { return stringValue(t.rawKind) }

// writeDefinition writes the definition of a function. If the function is strict and the
// model supports this, it converts the schema to the subset that the Anthropic API can
// enforce.
func (o *requestTranslator) writeDefinition(t *toolDefinition) error {
	strict := isTrue(t.strict)
	if strict && slices.Contains(o.wire.Drop, "tools[].function.strict") {
		o.reportDropped("tools[].function.strict")
		strict = false
	}
	schema := withObjectType(t.parameters)
	if strict {
		rewritten, err := rewriteSchema(schema, "tools")
		if err != nil {
			return err
		}
		schema = rewritten
	}
	dst := appendMember(append(o.tools, '{'), "name", o.names.toUpstream(t.name))
	dst = appendMember(dst, "description", t.description)
	dst = appendMember(dst, "input_schema", schema)
	if strict {
		dst = append(dst, `"strict":true,`...)
	}
	dst = appendMember(dst, "cache_control", t.cacheControl)
	o.tools = closeWith(dst, "},")
	return nil
}

// withObjectType returns the schema of a function's parameters. If the schema has no type,
// it adds the type object, because the Anthropic API requires it.
func withObjectType(schema []byte) []byte {
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

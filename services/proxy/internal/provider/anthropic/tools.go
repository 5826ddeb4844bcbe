package anthropic

import (
	"slices"
	"strings"

	"github.com/signalbox/signalbox/pkg/jsonscan"
)

// toolDefinition is one tool of the request, as raw JSON.
type toolDefinition struct {
	kind                                                        string
	function, custom                                            []byte
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
	case t.kind != "" && t.kind != "function":
		return unsupportedOptionError("tools", "tools: the provider's built-in tools are not supported, because they are billed separately; send function tools instead")
	}
	o.reportDroppedEach(prefix, t.unknownFields)
	return o.writeDefinition(&t)
}

// isNativeClientTool reports whether the tool is one of Anthropic's own tools that the
// client runs itself.
func (t *toolDefinition) isNativeClientTool() bool {
	for _, kind := range []string{"bash_", "text_editor_", "memory_"} {
		if strings.HasPrefix(t.kind, kind) {
			return true
		}
	}
	return false
}

func (t *toolDefinition) readFrom(raw []byte) {
	for name, v := range jsonscan.Members(raw) {
		if jsonscan.IsNull(v) {
			continue
		}
		switch string(name) {
		case "type":
			t.kind = stringValue(v)
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
			t.cacheControl = v
		default:
			if !isEmpty(v) {
				t.unknownFields = append(t.unknownFields, string(name))
			}
		}
	}
}

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

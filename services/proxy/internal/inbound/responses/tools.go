package responses

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/pkg/jsonscan"
)

// customInput is the only argument of a function that replaces a custom tool.
const customInput = "input"

// toolTranslator holds the tools of a request in the format of a chat.
type toolTranslator struct {
	// definitions has a trailing comma after each tool. choice is the value of tool_choice.
	definitions []byte
	choice      jsontext.Value
	// allowed lists the tools that the model may call, unless it is nil.
	allowed map[toolKey]bool
}

// toolDefinition is one tool of the client, as raw JSON.
type toolDefinition struct {
	kind, name, description, parameters, strict, format, tools jsontext.Value
	namespace                                                  *toolDefinition
}

func (t *requestTranslator) parseTool(raw jsontext.Value, namespace *toolDefinition) toolDefinition {
	d := toolDefinition{namespace: namespace}
	readFields(raw, nil, field{"type", &d.kind}, field{"name", &d.name}, field{"description", &d.description},
		field{"parameters", &d.parameters}, field{"strict", &d.strict}, field{"format", &d.format}, field{"tools", &d.tools})
	return d
}

func (d *toolDefinition) key() toolKey {
	key := toolKey{name: jsonscan.DecodeText(d.name)}
	if d.namespace != nil {
		key.namespace = jsonscan.DecodeText(d.namespace.name)
	}
	return key
}

// readTools translates the tools and the choice among them.
func (t *requestTranslator) readTools() error {
	t.readAllowedTools()
	// Tools outside namespaces keep their names, so they take them first.
	for raw := range jsonscan.Elements(t.fields.tools) {
		if d := t.parseTool(raw, nil); isFunctionTool(&d) {
			t.names.chatName(d.key())
		}
	}
	for raw := range jsonscan.Elements(t.fields.tools) {
		d := t.parseTool(raw, nil)
		if jsonscan.DecodeText(d.kind) != "namespace" {
			t.addTool(&d, raw)
			continue
		}
		for inner := range jsonscan.Elements(d.tools) {
			nested := t.parseTool(inner, &d)
			t.addTool(&nested, inner)
		}
	}
	return t.readToolChoice()
}

func isFunctionTool(d *toolDefinition) bool {
	kind := jsonscan.DecodeText(d.kind)
	return kind == "function" || kind == "custom"
}

// addTool adds a function or a custom tool. A built-in tool of the vendor is dropped.
func (t *requestTranslator) addTool(d *toolDefinition, raw jsontext.Value) {
	if !isFunctionTool(d) {
		t.reportDropped("tools." + jsonscan.DecodeText(d.kind))
		return
	}
	name := t.names.chatName(d.key())
	isCustom := jsonscan.DecodeText(d.kind) == "custom"
	if isCustom {
		t.names.markCustom(name)
	}
	if t.tools.allowed != nil && !t.tools.allowed[d.key()] {
		return
	}
	for member, v := range jsonscan.Members(raw) {
		switch string(member) {
		case "type", "name", "description", "parameters", "strict", "format":
		default:
			if !jsonscan.IsEmptyOrFalse(v) {
				t.reportDropped("tools[]." + string(member))
			}
		}
	}
	dst := append(t.tools.definitions, `{"type":"function","function":{"name":`...)
	dst = jsonscan.AppendQuoted(dst, name)
	dst = appendMember(dst, "description", d.fullDescription())
	if isCustom {
		dst = t.appendCustomParameters(dst, d)
	} else {
		dst = appendMember(dst, "parameters", d.parameters)
		dst = appendMember(dst, "strict", d.strict)
	}
	t.tools.definitions = append(dst, "}},"...)
}

// fullDescription returns the description, after that of the namespace, as a JSON string.
func (d *toolDefinition) fullDescription() jsontext.Value {
	if d.namespace == nil || !hasText(d.namespace.description) {
		return d.description
	}
	return appendEscaped(nil, joinReasoning(append([]byte(nil), escapedText(d.namespace.description)...), escapedText(d.description)))
}

// appendCustomParameters appends the parameters of the function that replaces a custom tool.
// A grammar for the input becomes part of its description.
func (t *requestTranslator) appendCustomParameters(dst []byte, d *toolDefinition) []byte {
	text := "The input of the tool as plain text."
	if grammar := jsonscan.Member(d.format, "definition"); hasText(grammar) {
		t.reportDropped("tools[].format")
		text += " It must match this " + jsonscan.DecodeText(jsonscan.Member(d.format, "syntax")) + " grammar:\n" + jsonscan.DecodeText(grammar)
	}
	dst = append(dst, `,"parameters":{"type":"object","properties":{"`+customInput+`":{"type":"string","description":`...)
	dst = jsonscan.AppendQuoted(dst, strings.ToValidUTF8(text, "\ufffd"))
	return append(dst, `}},"required":["`+customInput+`"],"additionalProperties":false}`...)
}

// readAllowedTools reads a choice that restricts the tools. Chats of most vendors have no
// such choice, so the other tools are left out.
func (t *requestTranslator) readAllowedTools() {
	choice := t.fields.toolChoice
	if jsonscan.DecodeText(jsonscan.Member(choice, "type")) != "allowed_tools" {
		return
	}
	t.tools.allowed = map[toolKey]bool{}
	for tool := range jsonscan.Elements(jsonscan.Member(choice, "tools")) {
		t.tools.allowed[choiceKey(tool)] = true
	}
}

func choiceKey(choice jsontext.Value) toolKey {
	return toolKey{jsonscan.DecodeText(jsonscan.Member(choice, "namespace")), jsonscan.DecodeText(jsonscan.Member(choice, "name"))}
}

// readToolChoice translates tool_choice. It fails if the model must call a tool that only
// another vendor has.
func (t *requestTranslator) readToolChoice() error {
	choice := t.fields.toolChoice
	mode := choice
	if isObject(choice) {
		switch jsonscan.DecodeText(jsonscan.Member(choice, "type")) {
		case "function", "custom":
			name := jsonscan.AppendQuoted(nil, t.names.chatName(choiceKey(choice)))
			t.tools.choice = append(append([]byte(`{"type":"function","function":{"name":`), name...), "}}"...)
			return t.checkToolChoice(true)
		case "allowed_tools":
			mode = jsonscan.Member(choice, "mode")
		default:
			return unsupportedError("tool_choice", "only a provider of the Responses protocol has this tool")
		}
	}
	t.tools.choice = mode
	return t.checkToolChoice(string(mode) == `"required"`)
}

func (t *requestTranslator) checkToolChoice(mustCall bool) error {
	if mustCall && len(t.tools.definitions) == 0 {
		return unsupportedError("tool_choice", "the request has no tools that it can call")
	}
	return nil
}

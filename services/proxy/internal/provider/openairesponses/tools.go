package openairesponses

import (
	"slices"

	"github.com/signalbox/signalbox/pkg/jsonscan"
)

// toolDefinition is one tool of the request, as raw JSON.
type toolDefinition struct {
	kind, function, custom, cache                 []byte
	name, description, parameters, strict, format []byte
}

// readTools translates the tools of the request. In the Responses API their members are not
// nested.
func (t *requestTranslator) readTools() error {
	for raw := range jsonscan.Elements(t.fields.tools) {
		var d toolDefinition
		readObject(raw, t.dropBelow("tools[]."), field{"type", &d.kind}, field{"function", &d.function},
			field{"custom", &d.custom}, field{"cache_control", &d.cache})
		if !isEmpty(d.cache) {
			t.reportDropped("tools[].cache_control")
		}
		switch {
		case isObject(d.function):
			t.addFunction(&d)
		case isObject(d.custom):
			t.addCustomTool(&d)
		default:
			return unsupportedOptionError("tools", "tools: the provider's built-in tools are not supported, because they are billed separately; send function tools instead")
		}
	}
	return nil
}

// addFunction adds a function. It always writes strict: in the Responses API, a function is
// strict by default.
func (t *requestTranslator) addFunction(d *toolDefinition) {
	readObject(d.function, t.dropBelow("tools[].function."), field{"name", &d.name}, field{"description", &d.description},
		field{"parameters", &d.parameters}, field{"strict", &d.strict})
	strict := []byte("false")
	if string(d.strict) == "true" {
		if slices.Contains(t.wire.Drop, "tools[].function.strict") {
			t.reportDropped("tools[].function.strict")
		} else {
			strict = d.strict
		}
	}
	if isEmpty(d.parameters) {
		d.parameters = []byte(`{"type":"object","properties":{}}`)
	}
	dst := appendMember(append(t.tools, `{"type":"function",`...), "name", d.name)
	dst = appendMember(dst, "description", d.description)
	dst = appendMember(dst, "parameters", d.parameters)
	t.tools = closeWith(appendMember(dst, "strict", strict), "},")
}

// addCustomTool adds a tool whose input is a text. Its grammar is not nested either.
func (t *requestTranslator) addCustomTool(d *toolDefinition) {
	readObject(d.custom, t.dropBelow("tools[].custom."), field{"name", &d.name}, field{"description", &d.description}, field{"format", &d.format})
	dst := appendMember(append(t.tools, `{"type":"custom",`...), "name", d.name)
	dst = appendMember(dst, "description", d.description)
	if grammar := jsonscan.Member(d.format, "grammar"); isObject(grammar) {
		d.format = closeWith(append([]byte(`{"type":"grammar",`), grammar[1:len(grammar)-1]...), "}")
	}
	t.tools = closeWith(appendMember(dst, "format", d.format), "},")
}

// appendToolOptions appends the tools and the choice among them. Without tools it reports the
// options as dropped, because the API rejects them then.
func (t *requestTranslator) appendToolOptions(dst []byte) ([]byte, error) {
	if len(t.tools) == 0 {
		for _, f := range []field{{"tool_choice", &t.fields.toolChoice}, {"parallel_tool_calls", &t.fields.parallelToolCalls}} {
			if !isEmpty(*f.to) {
				t.reportDropped(f.name)
			}
		}
		return dst, nil
	}
	choice, err := t.buildToolChoice()
	if err != nil {
		return nil, err
	}
	dst = appendArray(dst, "tools", t.tools)
	dst = appendMember(dst, "tool_choice", choice)
	return appendMember(dst, "parallel_tool_calls", t.fields.parallelToolCalls), nil
}

// buildToolChoice returns tool_choice. A choice of one tool names it directly.
func (t *requestTranslator) buildToolChoice() ([]byte, error) {
	choice := t.fields.toolChoice
	if !isObject(choice) {
		return choice, nil
	}
	if allowed := jsonscan.Member(choice, "allowed_tools"); isObject(allowed) {
		dst := appendMember([]byte(`{"type":"allowed_tools",`), "mode", jsonscan.Member(allowed, "mode"))
		var list []byte
		for tool := range jsonscan.Elements(jsonscan.Member(allowed, "tools")) {
			if named := buildNamedTool(tool); named != nil {
				list = append(append(list, named...), ',')
			}
		}
		return closeWith(appendArray(dst, "tools", list), "}"), nil
	}
	named := buildNamedTool(choice)
	if named == nil {
		return nil, unsupportedError("tool_choice", `the value must be "auto", "none", "required", a tool or a list of allowed tools`)
	}
	return named, nil
}

// buildNamedTool returns a reference to a function or a custom tool. It returns nil if the
// value is neither.
func buildNamedTool(tool []byte) []byte {
	for _, kind := range []string{"function", "custom"} {
		if name := jsonscan.Member(tool, kind, "name"); hasText(name) {
			return closeWith(appendMember([]byte(`{"type":"`+kind+`",`), "name", name), "}")
		}
	}
	return nil
}

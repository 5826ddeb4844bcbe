package gemini

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/services/proxy/internal/jsonscan"
)

// writeTools writes tools and toolConfig.
func (d *draft) writeTools(o *out) {
	var declared, others out
	for v := range jsonscan.Elements(d.tools) {
		d.tool(v, &declared, &others)
	}
	for v := range jsonscan.Elements(d.functions) {
		d.declare(&declared, v)
	}
	if declared.empty() && others.empty() {
		return
	}
	o.key("tools").open('[')
	if !declared.empty() {
		o.open('{')
		o.key("functionDeclarations").open('[')
		o.raw(declared.b)
		o.b = append(o.b, "]}"...)
	}
	if !others.empty() {
		o.raw(others.b)
	}
	o.end(']')
	d.writeToolConfig(o, !declared.empty())
}

// tool takes a function, or one of Google's own tools as Google has it.
func (d *draft) tool(v jsontext.Value, declared, others *out) {
	var kind, function jsontext.Value
	var more []string
	for name, v := range jsonscan.Members(v) {
		switch string(name) {
		case "type":
			kind = v
		case "function":
			function = v
		default:
			more = append(more, string(name))
		}
	}
	switch {
	case isObject(function):
		for _, name := range more {
			d.drop("tools[]." + name)
		}
		d.declare(declared, function)
	case kind == nil:
		d.own(v, others)
	default:
		d.refuse("tools", "a kind of tool is not known")
	}
}

// declare writes a function. Its schema goes as it stands.
func (d *draft) declare(o *out, v jsontext.Value) {
	o.open('{')
	for name, v := range jsonscan.Members(v) {
		if isNull(v) {
			continue
		}
		switch string(name) {
		case "name", "description":
			o.key(string(name)).raw(v)
		case "parameters":
			o.key("parametersJsonSchema").raw(v)
		case "strict":
			if isTrue(v) {
				d.drop("tools[].function.strict")
			}
		default:
			d.drop("tools[].function." + string(name))
		}
	}
	o.end('}')
}

// writeToolConfig writes which functions may or must be called.
func (d *draft) writeToolConfig(o *out, declared bool) {
	var config, native out
	for name, v := range jsonscan.Members(d.nativeTools) {
		if string(name) == "functionCallingConfig" {
			native.raw(v)
			continue
		}
		config.next()
		config.b, _ = jsontext.AppendQuote(config.b, name)
		config.b = append(append(config.b, ':'), v...)
	}
	choice := d.choice
	if choice == nil {
		choice = d.functionCall
	}
	switch {
	case choice != nil && declared:
		config.key("functionCallingConfig").open('{')
		d.calling(&config, choice)
		config.end('}')
	case !native.empty():
		config.key("functionCallingConfig").raw(native.b)
	}
	if config.empty() {
		return
	}
	o.key("toolConfig").open('{')
	o.raw(config.b)
	o.end('}')
}

// modes are Google's words for tool choices.
var modes = map[string]string{"auto": "AUTO", "none": "NONE", "required": "ANY", "any": "ANY"}

func (d *draft) calling(o *out, choice jsontext.Value) {
	if isText(choice) {
		mode, ok := modes[string(jsonscan.Text(choice))]
		if !ok {
			d.refuse("tool_choice", "the word is not known")
		}
		o.key("mode").quote([]byte(mode))
		return
	}
	mode, names := "ANY", out{}
	for name, v := range jsonscan.Members(choice) {
		switch string(name) {
		case "name":
			names.raw(v)
		case "function":
			names.addName(v)
		case "allowed_tools":
			mode = allowed(v, &names)
		}
	}
	if names.empty() {
		d.refuse("tool_choice", "it names no function")
	}
	o.key("mode").quote([]byte(mode))
	o.key("allowedFunctionNames").open('[')
	o.raw(names.b)
	o.end(']')
}

// allowed reads a choice of several functions. VALIDATED is Google's way to
// leave it to the model whether to call one of them.
func allowed(v jsontext.Value, names *out) (mode string) {
	mode = "VALIDATED"
	for name, v := range jsonscan.Members(v) {
		switch string(name) {
		case "mode":
			if string(v) == `"required"` {
				mode = "ANY"
			}
		case "tools":
			for tool := range jsonscan.Elements(v) {
				for name, v := range jsonscan.Members(tool) {
					if string(name) == "function" {
						names.addName(v)
					}
				}
			}
		}
	}
	return mode
}

func (o *out) addName(function jsontext.Value) {
	if f := functionOf(function); !isBlank(f.name) {
		o.raw(f.name)
	}
}

package gemini

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/pkg/jsonscan"
)

func (d *requestTranslator) writeTools(o *jsonWriter) {
	var declared, native jsonWriter
	for v := range jsonscan.Elements(d.tools) {
		d.addTool(v, &declared, &native)
	}
	for v := range jsonscan.Elements(d.functions) {
		d.writeDeclaration(&declared, v)
	}
	if declared.isEmpty() && native.isEmpty() {
		return
	}
	o.key("tools").open('[')
	if !declared.isEmpty() {
		o.open('{')
		o.key("functionDeclarations").open('[')
		o.raw(declared.buf)
		o.buf = append(o.buf, "]}"...)
	}
	if !native.isEmpty() {
		o.raw(native.buf)
	}
	o.close(']')
	d.writeToolConfig(o, !declared.isEmpty())
}

// addTool adds a function, or one of Google's own tools in its native form.
func (d *requestTranslator) addTool(v jsontext.Value, declared, native *jsonWriter) {
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
			d.reportDropped("tools[]." + name)
		}
		d.writeDeclaration(declared, function)
	case kind == nil:
		d.addNativeTool(v, native)
	default:
		d.reject("tools", "it supports function tools and Google's own tools")
	}
}

// writeDeclaration writes a function declaration. The schema is copied unchanged.
func (d *requestTranslator) writeDeclaration(o *jsonWriter, v jsontext.Value) {
	o.open('{')
	for name, v := range jsonscan.Members(v) {
		if jsonscan.IsNull(v) {
			continue
		}
		switch string(name) {
		case "name", "description":
			o.key(string(name)).raw(v)
		case "parameters":
			o.key("parametersJsonSchema").raw(v)
		case "strict":
			if isTrue(v) {
				d.reportDropped("tools[].function.strict")
			}
		default:
			d.reportDropped("tools[].function." + string(name))
		}
	}
	o.close('}')
}

// writeToolConfig writes the toolConfig. It selects the functions that the model may or must
// call.
func (d *requestTranslator) writeToolConfig(o *jsonWriter, declared bool) {
	var config, native jsonWriter
	for name, v := range jsonscan.Members(d.nativeToolConfig) {
		if string(name) == "functionCallingConfig" {
			native.raw(v)
			continue
		}
		config.quotedKey(name).raw(v)
	}
	choice := d.toolChoice
	if choice == nil {
		choice = d.functionCall
	}
	switch {
	case choice != nil && declared:
		config.key("functionCallingConfig").open('{')
		d.writeCallingConfig(&config, choice)
		config.close('}')
	case !native.isEmpty():
		config.key("functionCallingConfig").raw(native.buf)
	}
	if config.isEmpty() {
		return
	}
	o.key("toolConfig").open('{')
	o.raw(config.buf)
	o.close('}')
}

// callingModes maps tool choices to Google's function calling modes.
var callingModes = map[string]string{"auto": "AUTO", "none": "NONE", "required": "ANY", "any": "ANY"}

func (d *requestTranslator) writeCallingConfig(o *jsonWriter, choice jsontext.Value) {
	if jsonscan.IsString(choice) {
		mode, ok := callingModes[string(jsonscan.DecodeString(choice))]
		if !ok {
			d.reject("tool_choice", `the value must be "auto", "none", "required" or a function`)
		}
		o.key("mode").quote([]byte(mode))
		return
	}
	mode, names := "ANY", jsonWriter{}
	for name, v := range jsonscan.Members(choice) {
		switch string(name) {
		case "name":
			names.raw(v)
		case "function":
			names.writeFunctionName(v)
		case "allowed_tools":
			mode = parseAllowedTools(v, &names)
		}
	}
	if names.isEmpty() {
		d.reject("tool_choice", "the value names no function")
	}
	o.key("mode").quote([]byte(mode))
	o.key("allowedFunctionNames").open('[')
	o.raw(names.buf)
	o.close(']')
}

// parseAllowedTools reads a choice among several functions. In the mode VALIDATED the model
// may also call no function.
func parseAllowedTools(v jsontext.Value, names *jsonWriter) (mode string) {
	for tool := range jsonscan.Elements(jsonscan.Member(v, "tools")) {
		names.writeFunctionName(jsonscan.Member(tool, "function"))
	}
	if string(jsonscan.Member(v, "mode")) == `"required"` {
		return "ANY"
	}
	return "VALIDATED"
}

func (o *jsonWriter) writeFunctionName(function jsontext.Value) {
	if name := jsonscan.Member(function, "name"); !lacksText(name) {
		o.raw(name)
	}
}

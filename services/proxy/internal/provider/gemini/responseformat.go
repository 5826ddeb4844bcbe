package gemini

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/pkg/jsonscan"
)

// parseResponseFormat returns the type and the schema of response_format. kind is raw JSON,
// so it contains quotes. It is "" if the type is text or absent.
func (d *requestTranslator) parseResponseFormat() (kind string, schema jsontext.Value) {
	kind = string(jsonscan.Member(d.responseFormat, "type"))
	if kind == `"text"` {
		kind = ""
	}
	return kind, jsonscan.Member(d.responseFormat, "json_schema", "schema")
}

// resolveToolsWithFormat handles models that do not accept tools together with a response
// format. It drops the tools if the tool choice is "none". Otherwise it rejects the request.
func (d *requestTranslator) resolveToolsWithFormat() {
	kind, _ := d.parseResponseFormat()
	if !d.wire.FormatExcludesTools || kind == "" || isEmpty(d.tools) && isEmpty(d.functions) {
		return
	}
	choice := d.toolChoice
	if choice == nil {
		choice = d.functionCall
	}
	if string(choice) != `"none"` {
		d.reject("response_format", "it cannot be combined with tools")
	}
	if !isEmpty(d.tools) {
		d.reportDropped("tools")
	}
	if !isEmpty(d.functions) {
		d.reportDropped("functions")
	}
	d.tools, d.functions = nil, nil
}

func (d *requestTranslator) writeResponseFormat() {
	kind, schema := d.parseResponseFormat()
	switch kind {
	case "":
		return
	case `"json_object"`:
		schema = nil
	case `"json_schema"`:
	default:
		d.reject("response_format", `the type must be "text", "json_object" or "json_schema"`)
		return
	}
	d.config.startMember("responseMimeType").literal(`"application/json"`)
	if isObject(schema) {
		o := d.config.startMember("responseJsonSchema")
		d.writeSchema(o, schema)
	}
}

package gemini

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/services/proxy/internal/jsonscan"
)

// asked is what response_format asks for; kind is empty where that is text.
func (d *draft) asked() (kind string, schema jsontext.Value) {
	for name, v := range jsonscan.Members(d.format) {
		switch string(name) {
		case "type":
			kind = string(v)
		case "json_schema":
			for name, v := range jsonscan.Members(v) {
				if string(name) == "schema" {
					schema = v
				}
			}
		}
	}
	if kind == `"text"` {
		kind = ""
	}
	return kind, schema
}

// settleTools judges tools beside a format where the model takes only one of
// them. Those that must not be called are left out.
func (d *draft) settleTools() {
	kind, _ := d.asked()
	if !d.wire.FormatOrTools || kind == "" || isEmpty(d.tools) && isEmpty(d.functions) {
		return
	}
	choice := d.choice
	if choice == nil {
		choice = d.functionCall
	}
	if string(choice) != `"none"` {
		d.refuse("response_format", "it cannot be combined with tools")
	}
	if !isEmpty(d.tools) {
		d.drop("tools")
	}
	if !isEmpty(d.functions) {
		d.drop("functions")
	}
	d.tools, d.functions = nil, nil
}

// writeFormat adds to the settings what response_format asks for.
func (d *draft) writeFormat() {
	kind, schema := d.asked()
	switch kind {
	case "":
		return
	case `"json_object"`:
		schema = nil
	case `"json_schema"`:
	default:
		d.refuse("response_format", "the format is not known")
		return
	}
	d.config.set("responseMimeType").literal(`"application/json"`)
	if isObject(schema) {
		o := d.config.set("responseJsonSchema")
		d.schema(o, schema)
	}
}

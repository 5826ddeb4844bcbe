package gemini

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/services/proxy/internal/jsonscan"
)

// writeFormat adds to the settings what response_format asks for.
func (d *draft) writeFormat() {
	var kind, schema jsontext.Value
	for name, v := range jsonscan.Members(d.format) {
		switch string(name) {
		case "type":
			kind = v
		case "json_schema":
			for name, v := range jsonscan.Members(v) {
				if string(name) == "schema" {
					schema = v
				}
			}
		}
	}
	switch string(kind) {
	case "", `"text"`:
		return
	case `"json_object"`:
		schema = nil
	case `"json_schema"`:
	default:
		d.refuse("response_format", "the format is not known")
		return
	}
	if d.wire.FormatOrTools && (d.tools != nil || d.functions != nil) {
		d.refuse("response_format", "it cannot be combined with tools")
	}
	d.config.set("responseMimeType").literal(`"application/json"`)
	if isObject(schema) {
		o := d.config.set("responseJsonSchema")
		d.schema(o, schema)
	}
}

package gemini

import (
	"bytes"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/pkg/jsonscan"
)

// supportedKeywords lists the keywords that Google supports and that contain no nested
// schemas.
var supportedKeywords = []string{
	"$id", "$anchor", "type", "format", "title", "description", "enum", "minItems", "maxItems",
	"minimum", "maximum", "required", "propertyOrdering",
}

// ignoredKeywords lists the keywords that have no effect on the response. They are omitted
// without a report.
var ignoredKeywords = []string{
	"$schema", "$comment", "default", "examples", "example", "deprecated", "readOnly", "writeOnly",
}

// rejectedKeywords lists keywords that Google does not support. A schema without them would
// have another meaning, so the request is rejected.
var rejectedKeywords = []string{
	"not", "if", "then", "else", "patternProperties", "dependentSchemas", "dependentRequired", "$dynamicRef",
}

// schemaPath is the path of the response schema in the request.
const schemaPath = "response_format.json_schema.schema"

// writeSchema writes a schema with the keywords that Google supports, in the client's
// order. It omits the keywords in ignoredKeywords and rejects those in rejectedKeywords. All
// other keywords, such as minLength, only narrow the schema. They are dropped and reported.
func (d *requestTranslator) writeSchema(o *jsonWriter, v jsontext.Value) {
	if !isObject(v) {
		o.raw(v)
		return
	}
	o.open('{')
	var seen []string
	d.writeKeywords(o, v, &seen)
	o.close('}')
}

func (d *requestTranslator) writeKeywords(o *jsonWriter, v jsontext.Value, seen *[]string) {
	for raw, v := range jsonscan.Members(v) {
		name := currentKeyword(string(raw), v)
		if slices.Contains(*seen, name) {
			continue
		}
		*seen = append(*seen, name)
		switch name {
		case "$ref":
			o.key(name).raw(bytes.Replace(v, []byte("#/definitions/"), []byte("#/$defs/"), 1))
		case "$defs", "properties":
			d.writeSchemaMap(o.key(name), v)
		case "items", "additionalProperties":
			d.writeSchema(o.key(name), v)
		case "anyOf", "oneOf", "prefixItems":
			d.writeSchemaList(o.key(name), v)
		case "allOf":
			d.writeAllOf(o, v, seen)
		case "const":
			if !slices.Contains(*seen, "enum") {
				*seen = append(*seen, "enum")
				o.key("enum").open('[')
				o.raw(v)
				o.close(']')
			}
		default:
			d.writeKeyword(o, name, v)
		}
	}
}

// currentKeyword returns the current name of a keyword from an older JSON Schema draft.
func currentKeyword(name string, v jsontext.Value) string {
	switch {
	case name == "definitions":
		return "$defs"
	case name == "items" && v[0] == '[':
		return "prefixItems"
	}
	return name
}

func (d *requestTranslator) writeKeyword(o *jsonWriter, name string, v jsontext.Value) {
	switch {
	case slices.Contains(supportedKeywords, name):
		o.key(name).raw(v)
	case slices.Contains(rejectedKeywords, name):
		d.reject(schemaPath+"."+name, "")
	case !slices.Contains(ignoredKeywords, name):
		d.reportDropped(schemaPath + "." + name)
	}
}

// writeSchemaMap writes an object of named schemas. The names are chosen by the client and
// are not keywords.
func (d *requestTranslator) writeSchemaMap(o *jsonWriter, v jsontext.Value) {
	o.open('{')
	for name, v := range jsonscan.Members(v) {
		d.writeSchema(o.quotedKey(name), v)
	}
	o.close('}')
}

func (d *requestTranslator) writeSchemaList(o *jsonWriter, v jsontext.Value) {
	o.open('[')
	for v := range jsonscan.Elements(v) {
		d.writeSchema(o, v)
	}
	o.close(']')
}

// writeAllOf merges an allOf with a single schema into the enclosing schema. It rejects an
// allOf with several schemas.
func (d *requestTranslator) writeAllOf(o *jsonWriter, v jsontext.Value, seen *[]string) {
	only := slices.Collect(jsonscan.Elements(v))
	if len(only) != 1 {
		d.reject(schemaPath+".allOf", "")
		return
	}
	d.writeKeywords(o, only[0], seen)
}

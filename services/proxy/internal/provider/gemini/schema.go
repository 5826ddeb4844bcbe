package gemini

import (
	"bytes"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/services/proxy/internal/jsonscan"
)

// kept are the keywords that Google knows and that have no schema in them,
// known with those that have one.
var kept = []string{
	"$id", "$anchor", "type", "format", "title", "description", "enum", "minItems", "maxItems",
	"minimum", "maximum", "required", "propertyOrdering",
}

// remarks are keywords that no answer depends on.
var remarks = []string{
	"$schema", "$comment", "default", "examples", "example", "deprecated", "readOnly", "writeOnly",
}

// structural are keywords that Google does not know and without which a schema
// describes something else.
var structural = []string{
	"not", "if", "then", "else", "patternProperties", "dependentSchemas", "dependentRequired", "$dynamicRef",
}

// schemaOf is where in a request the schema of an answer stands.
const schemaOf = "response_format.json_schema.schema"

// schema writes a schema with the keywords that Google knows, in their order.
// Others that only narrow what they stand beside are left out and named.
func (d *draft) schema(o *out, v jsontext.Value) {
	if !isObject(v) {
		o.raw(v)
		return
	}
	o.open('{')
	var seen []string
	d.keywords(o, v, &seen)
	o.end('}')
}

func (d *draft) keywords(o *out, v jsontext.Value, seen *[]string) {
	for raw, v := range jsonscan.Members(v) {
		name := renamed(string(raw), v)
		if slices.Contains(*seen, name) {
			continue
		}
		*seen = append(*seen, name)
		switch name {
		case "$ref":
			o.key(name).raw(bytes.Replace(v, []byte("#/definitions/"), []byte("#/$defs/"), 1))
		case "$defs", "properties":
			d.schemas(o.key(name), v)
		case "items", "additionalProperties":
			d.schema(o.key(name), v)
		case "anyOf", "oneOf", "prefixItems":
			d.alternatives(o.key(name), v)
		case "allOf":
			d.all(o, v, seen)
		case "const":
			if !slices.Contains(*seen, "enum") {
				*seen = append(*seen, "enum")
				o.key("enum").open('[')
				o.raw(v)
				o.end(']')
			}
		default:
			d.keyword(o, name, v)
		}
	}
}

// renamed gives keywords of older drafts their names of today.
func renamed(name string, v jsontext.Value) string {
	switch {
	case name == "definitions":
		return "$defs"
	case name == "items" && v[0] == '[':
		return "prefixItems"
	}
	return name
}

func (d *draft) keyword(o *out, name string, v jsontext.Value) {
	switch {
	case slices.Contains(kept, name):
		o.key(name).raw(v)
	case slices.Contains(structural, name):
		d.refuse(schemaOf+"."+name, "")
	case !slices.Contains(remarks, name):
		d.drop(schemaOf + "." + name)
	}
}

// schemas writes an object of schemas by names that are the client's.
func (d *draft) schemas(o *out, v jsontext.Value) {
	o.open('{')
	for name, v := range jsonscan.Members(v) {
		o.next()
		o.b, _ = jsontext.AppendQuote(o.b, name)
		o.b = append(o.b, ':')
		d.schema(o, v)
	}
	o.end('}')
}

func (d *draft) alternatives(o *out, v jsontext.Value) {
	o.open('[')
	for v := range jsonscan.Elements(v) {
		d.schema(o, v)
	}
	o.end(']')
}

// all writes what a single schema of allOf has where that stands.
func (d *draft) all(o *out, v jsontext.Value, seen *[]string) {
	only := slices.Collect(jsonscan.Elements(v))
	if len(only) != 1 {
		d.refuse(schemaOf+".allOf", "")
		return
	}
	d.keywords(o, only[0], seen)
}

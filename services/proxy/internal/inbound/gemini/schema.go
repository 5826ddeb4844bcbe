package gemini

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/pkg/jsonscan"
)

// writeSchema writes one of Google's schemas as a JSON Schema. Google derives its schemas
// from OpenAPI 3.0: types are in upper case, and nullable is a keyword. Other keywords stay
// unchanged and in order.
func writeSchema(out *jsonWriter, v jsontext.Value) {
	w := schemaWriter{jsonWriter: out, traits: findSchemaTraits(v)}
	w.in.Reset(v, true)
	w.writeSchema()
}

// schemaWriter reads every byte of a schema once, however deep the schema is nested.
type schemaWriter struct {
	*jsonWriter
	in     jsonscan.Reader
	traits map[int]schemaTraits
}

func (w *schemaWriter) writeSchema() {
	if !w.in.Enter(jsonscan.BeginObject) {
		w.raw(w.in.Value())
		return
	}
	traits := w.traits[w.in.Offset()]
	var seen []string
	w.open('{')
	for w.in.NextMember() {
		name := string(w.in.Name())
		if known, ok := snakeKeywords[name]; ok {
			name = known
		}
		if slices.Contains(seen, name) {
			w.in.Value()
			continue
		}
		seen = append(seen, name)
		w.writeMember(name, traits)
	}
	w.close("}")
}

// writeMember writes a keyword. Its value may contain schemas.
func (w *schemaWriter) writeMember(name string, traits schemaTraits) {
	switch {
	case name == "properties" || name == "$defs":
		w.key(name)
		w.writeSchemaMap()
	case name == "items" || name == "additionalProperties":
		w.key(name)
		w.writeSchema()
	case name == "anyOf" && traits.isNullable && !traits.hasType:
		w.key(name)
		w.writeSchemaList(`{"type":"null"}`)
	case name == "anyOf" || name == "prefixItems":
		w.key(name)
		w.writeSchemaList("")
	default:
		writeKeyword(w.jsonWriter, name, w.in.Value(), traits.isNullable)
	}
}

// writeKeyword writes a keyword that contains no schemas.
func writeKeyword(w *jsonWriter, name string, v jsontext.Value, isNullable bool) {
	switch {
	case name == "nullable", name == "format" && string(v) == `"enum"`:
	case name == "type" && jsonscan.IsString(v):
		writeType(w, v, isNullable)
	case name == "enum" && isNullable && v[0] == '[':
		w.key(name).open('[')
		for one := range jsonscan.Elements(v) {
			w.raw(one)
		}
		w.literal("null")
		w.close("]")
	case slices.Contains(countKeywords, name) && jsonscan.IsString(v) && isDigits(v[1:len(v)-1]):
		w.key(name).raw(v[1 : len(v)-1])
	case name == "$ref" && jsonscan.IsString(v):
		w.key(name).text(strings.Replace(jsonscan.DecodeText(v), "#/defs/", "#/$defs/", 1))
	default:
		w.comma()
		w.buf = jsonscan.AppendQuoted(w.buf, name)
		w.buf = append(w.buf, ':')
		w.raw(v)
	}
}

// writeType writes a type in lower case, together with null if the value may be null.
func writeType(w *jsonWriter, v jsontext.Value, isNullable bool) {
	kind := strings.ToLower(jsonscan.DecodeText(v))
	switch {
	case kind == "type_unspecified":
	case isNullable:
		w.key("type").open('[')
		w.text(kind)
		w.literal(`"null"]`)
	default:
		w.key("type").text(kind)
	}
}

// writeSchemaMap writes an object of named schemas. The client chooses the names.
func (w *schemaWriter) writeSchemaMap() {
	if !w.in.Enter(jsonscan.BeginObject) {
		w.raw(w.in.Value())
		return
	}
	w.open('{')
	for w.in.NextMember() {
		w.comma()
		w.buf = append(jsonscan.AppendQuoted(w.buf, w.in.Name()), ':')
		w.writeSchema()
	}
	w.close("}")
}

// writeSchemaList writes an array of schemas, and one more element unless it is "".
func (w *schemaWriter) writeSchemaList(last string) {
	if !w.in.Enter(jsonscan.BeginArray) {
		w.raw(w.in.Value())
		return
	}
	w.open('[')
	for w.in.NextElement() {
		w.writeSchema()
	}
	if last != "" {
		w.literal(last)
	}
	w.close("]")
}

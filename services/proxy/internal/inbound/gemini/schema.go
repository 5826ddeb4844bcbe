package gemini

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/pkg/jsonscan"
)

// countKeywords lists keywords whose values Google writes as strings, because they are 64-bit
// integers.
var countKeywords = []string{"minItems", "maxItems", "minLength", "maxLength", "minProperties", "maxProperties"}

// snakeKeywords maps the snake_case spellings of Google's keywords to JSON Schema.
var snakeKeywords = map[string]string{
	"any_of": "anyOf", "min_items": "minItems", "max_items": "maxItems", "min_length": "minLength", "max_length": "maxLength",
	"min_properties": "minProperties", "max_properties": "maxProperties", "property_ordering": "propertyOrdering",
	"prefix_items": "prefixItems", "additional_properties": "additionalProperties", "defs": "$defs", "ref": "$ref",
}

// writeSchema writes one of Google's schemas as a JSON Schema. Google derives its schemas
// from OpenAPI 3.0: types are in upper case, and nullable is a keyword. Other keywords stay
// unchanged and in order.
func writeSchema(w *jsonWriter, v jsontext.Value) {
	if !isObject(v) {
		w.raw(v)
		return
	}
	isNullable := isTrue(jsonscan.Member(v, "nullable"))
	hasType := jsonscan.IsString(jsonscan.Member(v, "type"))
	var seen []string
	w.open('{')
	for raw, v := range jsonscan.Members(v) {
		name := string(raw)
		if known, ok := snakeKeywords[name]; ok {
			name = known
		}
		if !slices.Contains(seen, name) {
			writeKeyword(w, name, v, isNullable, hasType)
			seen = append(seen, name)
		}
	}
	w.close("}")
}

func writeKeyword(w *jsonWriter, name string, v jsontext.Value, isNullable, hasType bool) {
	switch {
	case name == "nullable", name == "format" && string(v) == `"enum"`:
	case name == "type" && jsonscan.IsString(v):
		writeType(w, v, isNullable)
	case name == "enum" && isNullable:
		writeList(w.key(name), v, (*jsonWriter).rawValue, "null")
	case name == "properties" || name == "$defs":
		writeSchemaMap(w.key(name), v)
	case name == "items" || name == "additionalProperties":
		writeSchema(w.key(name), v)
	case name == "anyOf" && isNullable && !hasType:
		writeList(w.key(name), v, writeSchema, `{"type":"null"}`)
	case name == "anyOf" || name == "prefixItems":
		writeList(w.key(name), v, writeSchema, "")
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

func (w *jsonWriter) rawValue(v jsontext.Value) { w.raw(v) }

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
func writeSchemaMap(w *jsonWriter, v jsontext.Value) {
	if !isObject(v) {
		w.raw(v)
		return
	}
	w.open('{')
	for name, v := range jsonscan.Members(v) {
		w.comma()
		w.buf = append(jsonscan.AppendQuoted(w.buf, name), ':')
		writeSchema(w, v)
	}
	w.close("}")
}

// writeList writes an array, and one more element unless it is "".
func writeList(w *jsonWriter, v jsontext.Value, write func(*jsonWriter, jsontext.Value), last string) {
	if v[0] != '[' {
		w.raw(v)
		return
	}
	w.open('[')
	for one := range jsonscan.Elements(v) {
		write(w, one)
	}
	if last != "" {
		w.literal(last)
	}
	w.close("]")
}

// isDigits reports whether text is a JSON number without sign, fraction and exponent.
func isDigits(text []byte) bool {
	for _, c := range text {
		if c < '0' || c > '9' {
			return false
		}
	}
	return len(text) > 0 && len(text) < 20 && (text[0] != '0' || len(text) == 1)
}

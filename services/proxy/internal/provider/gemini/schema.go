package gemini

import (
	"bytes"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/pkg/jsonscan"
)

// schemaPath is the path of the response schema in the request.
const schemaPath = "response_format.json_schema.schema"

// writeSchema writes a schema with the keywords that Google supports, in the client's
// order. It omits the keywords in ignoredKeywords and rejects those in rejectedKeywords. All
// other keywords, such as minLength, only narrow the schema. They are dropped and reported.
func (d *requestTranslator) writeSchema(o *jsonWriter, v jsontext.Value) {
	w := schemaWriter{requestTranslator: d, out: o}
	w.in.Reset(v, true)
	w.writeSchema()
}

// schemaWriter reads every byte of a schema once, however deep the schema is nested.
type schemaWriter struct {
	*requestTranslator
	in  jsonscan.Reader
	out *jsonWriter
}

func (w *schemaWriter) writeSchema() {
	if !w.in.Enter(jsonscan.BeginObject) {
		w.out.raw(w.in.Value())
		return
	}
	w.out.open('{')
	var seen []string
	w.writeKeywords(&seen)
	w.out.close('}')
}

// writeKeywords writes the members of the schema that the reader has entered.
func (w *schemaWriter) writeKeywords(seen *[]string) {
	for w.in.NextMember() {
		name := currentKeyword(string(w.in.Name()), w.in.PeekKind())
		if slices.Contains(*seen, name) {
			w.in.Value()
			continue
		}
		*seen = append(*seen, name)
		switch name {
		case "$defs", "properties":
			w.out.key(name)
			w.writeSchemaMap()
		case "items", "additionalProperties":
			w.out.key(name)
			w.writeSchema()
		case "anyOf", "oneOf", "prefixItems":
			w.out.key(name)
			w.writeSchemaList()
		case "allOf":
			w.writeAllOf(seen)
		default:
			w.writeKeyword(name, w.in.Value(), seen)
		}
	}
}

// writeKeyword writes a keyword that contains no nested schemas.
func (w *schemaWriter) writeKeyword(name string, v jsontext.Value, seen *[]string) {
	switch {
	case name == "$ref":
		w.out.key(name).raw(bytes.Replace(v, []byte("#/definitions/"), []byte("#/$defs/"), 1))
	case name == "const":
		if !slices.Contains(*seen, "enum") {
			*seen = append(*seen, "enum")
			w.out.key("enum").open('[')
			w.out.raw(v)
			w.out.close(']')
		}
	case slices.Contains(supportedKeywords, name):
		w.out.key(name).raw(v)
	case slices.Contains(rejectedKeywords, name):
		w.reject(schemaPath+"."+name, "")
	case !slices.Contains(ignoredKeywords, name):
		w.reportDropped(schemaPath + "." + name)
	}
}

// writeSchemaMap writes an object of named schemas. The names are chosen by the client and
// are not keywords.
func (w *schemaWriter) writeSchemaMap() {
	w.out.open('{')
	if w.enters(jsonscan.BeginObject) {
		for w.in.NextMember() {
			w.out.quotedKey(w.in.Name())
			w.writeSchema()
		}
	}
	w.out.close('}')
}

func (w *schemaWriter) writeSchemaList() {
	w.out.open('[')
	if w.enters(jsonscan.BeginArray) {
		for w.in.NextElement() {
			w.writeSchema()
		}
	}
	w.out.close(']')
}

// writeAllOf merges an allOf with a single schema into the enclosing schema. It rejects an
// allOf with several schemas.
func (w *schemaWriter) writeAllOf(seen *[]string) {
	count := 0
	if w.enters(jsonscan.BeginArray) {
		for ; w.in.NextElement(); count++ {
			if w.enters(jsonscan.BeginObject) {
				w.writeKeywords(seen)
			}
		}
	}
	if count != 1 {
		w.reject(schemaPath+".allOf", "")
	}
}

// enters enters the next value if it has the kind, and skips it otherwise.
func (w *schemaWriter) enters(kind jsonscan.Kind) bool {
	if w.in.Enter(kind) {
		return true
	}
	w.in.Value()
	return false
}

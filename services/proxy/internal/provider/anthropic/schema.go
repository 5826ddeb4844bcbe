package anthropic

import (
	"slices"

	"github.com/signalbox/signalbox/pkg/jsonscan"
)

// rewriteSchema converts a JSON schema to the subset that the Anthropic API can enforce.
// It closes objects that list their properties: other members are forbidden. It turns oneOf
// into anyOf, and moves unsupported constraints into the description as hints for the model.
// An object without listed properties cannot be closed, so rewriteSchema fails with
// UNSUPPORTED_PARAMETER. param is the request field that contains the schema.
func rewriteSchema(schema []byte, param string) ([]byte, error) {
	w := schemaRewriter{param: param, out: make([]byte, 0, len(schema)+256)}
	w.in.Reset(schema, true)
	w.writeSchema()
	if err := w.in.Err(); err != nil {
		return nil, err
	}
	return w.out, nil
}

// schemaRewriter reads a schema and writes the converted schema in a single pass.
type schemaRewriter struct {
	in    jsonscan.Reader
	out   []byte
	param string
}

// schemaState describes the schema object being written.
type schemaState struct {
	// descriptionEnd is the offset of the end of the description text, or 0 if the
	// schema has no description yet.
	descriptionEnd int
	// hints holds the constraints to add to the description.
	hints []byte
	// isClosed is set once additionalProperties is written. hasAlternatives is set once
	// anyOf is written.
	hasType, isObject, hasProperties, isClosed, hasAlternatives bool
}

func (w *schemaRewriter) writeSchema() {
	if !w.in.Enter(jsonscan.BeginObject) {
		w.out = append(w.out, w.in.Value()...)
		return
	}
	var o schemaState
	w.out = append(w.out, '{')
	for w.in.NextMember() {
		w.writeKeyword(&o, string(w.in.Name()))
	}
	switch {
	case !o.isObject || o.isClosed:
	case !o.hasProperties:
		w.rejectMap()
	default:
		w.out = append(w.out, `"additionalProperties":false,`...)
	}
	w.writeHints(&o)
	w.out = closeWith(w.out, "}")
}

func (w *schemaRewriter) writeSchemaMap(name string) {
	w.writeNamed(name, func() {
		if !w.in.Enter(jsonscan.BeginObject) {
			w.out = append(w.out, w.in.Value()...)
			return
		}
		w.out = append(w.out, '{')
		for w.in.NextMember() {
			w.out = append(jsonscan.AppendQuoted(w.out, w.in.Name()), ':')
			w.writeSchema()
			w.out = append(w.out, ',')
		}
		w.out = closeWith(w.out, "}")
	})
}

func (w *schemaRewriter) writeSchemaList() {
	if !w.in.Enter(jsonscan.BeginArray) {
		w.out = append(w.out, w.in.Value()...)
		return
	}
	w.out = append(w.out, '[')
	for w.in.NextElement() {
		w.writeSchema()
		w.out = append(w.out, ',')
	}
	w.out = closeWith(w.out, "]")
}

func (w *schemaRewriter) writeNamed(name string, value func()) {
	w.out = append(jsonscan.AppendQuoted(w.out, name), ':')
	value()
	w.out = append(w.out, ',')
}

func (w *schemaRewriter) writeMember(name string, v []byte) {
	w.writeNamed(name, func() { w.out = append(w.out, v...) })
}

func (o *schemaState) addHint(name string, v []byte) {
	if len(o.hints) > 0 {
		o.hints = append(o.hints, ", "...)
	}
	o.hints = append(o.hints, name...)
	o.hints = append(o.hints, ": "...)
	o.hints = append(o.hints, v...)
}

// writeHints appends the hints to the description. It writes a new description if there is
// none.
func (w *schemaRewriter) writeHints(o *schemaState) {
	if len(o.hints) == 0 {
		return
	}
	hints := quoteString("{" + string(o.hints) + "}")
	if o.descriptionEnd == 0 {
		w.writeMember("description", hints)
		return
	}
	// A blank line separates the hints from the existing description.
	w.out = slices.Insert(w.out, o.descriptionEnd, append([]byte(`\n\n`), hints[1:len(hints)-1]...)...)
}

package anthropic

import (
	"slices"

	"github.com/signalbox/signalbox/services/proxy/internal/jsonscan"
)

// rewriteSchema makes of a JSON schema one that the format can hold a model to.
// Objects that list their members are closed, one of several becomes any of
// them, and a bound that it does not know is told to the model in the
// description. All else stays, in its order. A schema of maps, which cannot be
// closed, is UNSUPPORTED_PARAMETER; param is the field it came by.
func rewriteSchema(schema []byte, param string) ([]byte, error) {
	w := rewriter{param: param, out: make([]byte, 0, len(schema)+256)}
	w.in.Reset(schema, true)
	w.schema()
	if err := w.in.Err(); err != nil {
		return nil, err
	}
	return w.out, nil
}

// rewriter goes through a schema once, writing as it reads.
type rewriter struct {
	in    jsonscan.Reader
	out   []byte
	param string
}

// object is what is known of the schema that is being written.
type object struct {
	// described is where the text of its description ends, 0 if it has none.
	described int
	// told are the bounds that go into it.
	told []byte
	// typed, isObject, listed, closed and branched are set once the type, one
	// that is an object's, properties, additionalProperties and anyOf have come.
	typed, isObject, listed, closed, branched bool
}

// schema writes the next value, which is a schema.
func (w *rewriter) schema() {
	if !w.in.Open(jsonscan.BeginObject) {
		w.out = append(w.out, w.in.Value()...)
		return
	}
	var o object
	w.out = append(w.out, '{')
	for w.in.Member() {
		w.member(&o, string(w.in.Name()))
	}
	switch {
	case !o.isObject || o.closed:
	case !o.listed:
		w.refuseMap()
	default:
		w.out = append(w.out, `"additionalProperties":false,`...)
	}
	w.tell(&o)
	w.out = closed(w.out, "}")
}

func (w *rewriter) schemas(name string) {
	w.named(name, func() {
		if !w.in.Open(jsonscan.BeginObject) {
			w.out = append(w.out, w.in.Value()...)
			return
		}
		w.out = append(w.out, '{')
		for w.in.Member() {
			w.out = append(appendQuoted(w.out, w.in.Name()), ':')
			w.schema()
			w.out = append(w.out, ',')
		}
		w.out = closed(w.out, "}")
	})
}

func (w *rewriter) list() {
	if !w.in.Open(jsonscan.BeginArray) {
		w.out = append(w.out, w.in.Value()...)
		return
	}
	w.out = append(w.out, '[')
	for w.in.Element() {
		w.schema()
		w.out = append(w.out, ',')
	}
	w.out = closed(w.out, "]")
}

func (w *rewriter) named(name string, value func()) {
	w.out = append(appendQuoted(w.out, name), ':')
	value()
	w.out = append(w.out, ',')
}

func (w *rewriter) write(name string, v []byte) {
	w.named(name, func() { w.out = append(w.out, v...) })
}

func (o *object) tell(name string, v []byte) {
	if len(o.told) > 0 {
		o.told = append(o.told, ", "...)
	}
	o.told = append(o.told, name...)
	o.told = append(o.told, ": "...)
	o.told = append(o.told, v...)
}

// tell puts the bounds behind the description, or makes one of them.
func (w *rewriter) tell(o *object) {
	if len(o.told) == 0 {
		return
	}
	told := quoted("{" + string(o.told) + "}")
	if o.described == 0 {
		w.write("description", told)
		return
	}
	// The description has a text before it, so that a line is left between.
	w.out = slices.Insert(w.out, o.described, append([]byte(`\n\n`), told[1:len(told)-1]...)...)
}

package gemini

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/pkg/jsonscan"
)

// schemaTraits are the values of a schema that matter for keywords before them.
type schemaTraits struct{ isNullable, hasType bool }

// findSchemaTraits returns the traits of all objects of a schema that can be null, by the offset
// of their first member. It reads every byte once.
func findSchemaTraits(v jsontext.Value) map[int]schemaTraits {
	f := traitFinder{found: map[int]schemaTraits{}}
	f.in.Reset(v, true)
	f.readValue()
	return f.found
}

type traitFinder struct {
	in    jsonscan.Reader
	found map[int]schemaTraits
}

func (f *traitFinder) readValue() {
	switch {
	case f.in.Enter(jsonscan.BeginObject):
		f.readObject(f.in.Offset())
	case f.in.Enter(jsonscan.BeginArray):
		for f.in.NextElement() {
			f.readValue()
		}
	default:
		f.in.Value()
	}
}

func (f *traitFinder) readObject(at int) {
	var t schemaTraits
	for f.in.NextMember() {
		kind := f.in.PeekKind()
		switch string(f.in.Name()) {
		case "nullable":
			t.isNullable = kind == jsonscan.True
		case "type":
			t.hasType = kind == jsonscan.String
		}
		f.readValue()
	}
	if t.isNullable {
		f.found[at] = t
	}
}

package outbound

import (
	"cmp"
	"slices"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/jsonscan"
	"github.com/signalbox/signalbox/pkg/requestbody"
)

// bodyEditor builds an upstream's body as a list of edits to the client's body.
type bodyEditor struct {
	req   *requestbody.Request
	wire  *catalog.Wire
	fixed fixedEdits
	edits []edit
	// mayHaveSignatures is set if ids of tool calls may contain signatures: see
	// requestbody.SignatureSeparator.
	mayHaveSignatures bool
	// dropped names the client's fields that are not sent to the upstream, or not with the
	// client's value.
	dropped []string
	commas  commaTracker
}

// edit replaces a part of the body with text.
type edit struct {
	span
	text []byte
}

func (e *bodyEditor) replaceSpan(at span, text []byte) { e.edits = append(e.edits, edit{at, text}) }

// quoteString returns s as a JSON string.
func quoteString(s string) []byte { return jsonscan.AppendQuoted(make([]byte, 0, len(s)+2), s) }

func (e *bodyEditor) noteDropped(name string) {
	if !slices.Contains(e.dropped, name) {
		e.dropped = append(e.dropped, name)
	}
}

// commaTracker keeps the commas of an object correct when members are removed.
type commaTracker struct {
	// hasKept is set once a member is kept.
	hasKept bool
	// openEdit is set if the last member was removed and no member was kept before it.
	// Then edits[openEdit-1] removes that member. Otherwise openEdit is 0.
	openEdit int
}

// beginMember is called at the name of each member. If the previous member was
// removed and no member was kept before it, beginMember also removes the comma
// between the two.
func (e *bodyEditor) beginMember(commas *commaTracker, name int) {
	if commas.openEdit > 0 {
		e.edits[commas.openEdit-1].to = name
		commas.openEdit = 0
	}
}

// removeMember removes a member. from is the offset of the previous member's end, name is
// the offset of the member's name, and to is the offset of its value's end.
func (e *bodyEditor) removeMember(commas *commaTracker, from, name, to int) {
	if commas.hasKept {
		e.replaceSpan(span{from, to}, nil)
		return
	}
	e.replaceSpan(span{name, to}, nil)
	commas.openEdit = len(e.edits)
}

// assemblePieces returns the edited body in pieces.
func (e *bodyEditor) assemblePieces() [][]byte {
	slices.SortStableFunc(e.edits, func(a, b edit) int { return cmp.Compare(a.from, b.from) })
	body, last := e.req.Body, 0
	pieces := make([][]byte, 0, 2*len(e.edits)+1)
	for _, ed := range e.edits {
		if ed.from < last {
			continue // inside a removed part
		}
		if ed.from > last {
			pieces = append(pieces, body[last:ed.from])
		}
		if len(ed.text) > 0 {
			pieces = append(pieces, ed.text)
		}
		last = ed.to
	}
	return append(pieces, body[last:])
}

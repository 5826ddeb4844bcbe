package openai

import (
	"cmp"
	"slices"

	"github.com/signalbox/signalbox/pkg/catalog"
)

// editor makes an upstream's body of a client's, as a list of changes.
type editor struct {
	req  *Request
	wire *catalog.Wire
	list []edit
	// signed is set if ids of calls may have signatures in them.
	signed bool
	// dropped names what the client sent and the upstream does not get.
	dropped []string
	gap     gap
}

// edit puts a text in the place of a piece of the body.
type edit struct {
	span
	text []byte
}

func (e *editor) replace(at span, text []byte) { e.list = append(e.list, edit{at, text}) }

// quoted is a string value.
func quoted(s string) []byte { return appendQuoted(make([]byte, 0, len(s)+2), s) }

func (e *editor) drop(name string) {
	if !slices.Contains(e.dropped, name) {
		e.dropped = append(e.dropped, name)
	}
}

// gap keeps the commas of an object right whose members are left out.
type gap struct {
	// kept is set if a member stays; open is one more than the place of the
	// change that leaves out the last member before any that stays.
	kept bool
	open int
}

// begin notes that a member begins: what was left out before the first one
// that stays takes its comma along.
func (e *editor) begin(g *gap, name int) {
	if g.open > 0 {
		e.list[g.open-1].to = name
		g.open = 0
	}
}

// remove leaves out the member that begins, with the comma before it, at from,
// has its name at name and ends at to.
func (e *editor) remove(g *gap, from, name, to int) {
	if g.kept {
		e.replace(span{from, to}, nil)
		return
	}
	e.replace(span{name, to}, nil)
	g.open = len(e.list)
}

// pieces is the body with the changes.
func (e *editor) pieces() [][]byte {
	slices.SortStableFunc(e.list, func(a, b edit) int { return cmp.Compare(a.from, b.from) })
	body, last := e.req.Body, 0
	pieces := make([][]byte, 0, 2*len(e.list)+1)
	for _, ed := range e.list {
		if ed.from < last {
			continue // inside of what has been left out
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

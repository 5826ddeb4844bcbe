package gemini

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/services/proxy/internal/jsonscan"
)

// growing is a call of a function, whose arguments may come in many pieces.
type growing struct {
	name, id, sign jsontext.Value
	args           jsontext.Value
	pieces         tree
}

// call takes a part that calls a function. A named one begins a call; others
// go on with the one that is open.
func (t *translator) call(c *candidate, p part, s *said) {
	var next growing
	var pieces jsontext.Value
	more := false
	for name, v := range jsonscan.Members(p.call) {
		switch string(name) {
		case "name":
			next.name = v
		case "id":
			next.id = v
		case "args":
			next.args = v
		case "partialArgs":
			pieces = v
		case "willContinue":
			more = isTrue(v)
		}
	}
	if !isBlank(next.name) {
		t.flush(c, s)
		// What is kept longer than the event must be its own.
		c.open = &growing{
			name: bytes.Clone(next.name), id: bytes.Clone(next.id), sign: bytes.Clone(p.sign), args: bytes.Clone(next.args),
		}
	}
	if c.open == nil {
		return
	}
	for piece := range jsonscan.Elements(pieces) {
		c.open.pieces.add(piece)
	}
	if !more {
		t.flush(c, s)
	}
}

// flush gives the client the call that is open, if there is one. Its arguments
// go out whole: they are JSON only when all of them are there.
func (t *translator) flush(c *candidate, s *said) {
	g := c.open
	if g == nil {
		return
	}
	c.open = nil
	id, sign := jsonscan.Text(g.id), jsonscan.Text(g.sign)
	if len(id) == 0 {
		id = madeID(t.base, t.calls)
	}
	o := &s.calls
	o.open('{')
	o.key("index").number(int64(c.calls))
	o.key("id").quote(signedID(id, sign))
	o.key("type").literal(`"function"`)
	o.key("function").open('{')
	o.key("name").raw(g.name)
	o.key("arguments").quote(g.arguments())
	o.end('}')
	if len(sign) > 0 {
		o.key("extra_content").open('{')
		o.key("google").open('{')
		o.key("thought_signature").raw(g.sign)
		o.b = append(o.b, "}}"...)
	}
	o.end('}')
	c.calls++
	t.calls++
}

// arguments are the object, without white space.
func (g *growing) arguments() []byte {
	if !isObject(g.args) {
		return g.pieces.object()
	}
	compact, err := jsontext.AppendFormat(nil, g.args,
		jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true), jsontext.PreserveRawStrings(true))
	if err != nil {
		return g.args
	}
	return compact
}

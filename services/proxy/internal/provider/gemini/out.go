package gemini

import (
	"bytes"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// out writes JSON. Commas are its own affair: one comes before everything that
// is not the first in what is open.
type out struct{ b []byte }

func (o *out) next() {
	if len(o.b) == 0 {
		return
	}
	switch o.b[len(o.b)-1] {
	case '{', '[', ':':
		return
	}
	o.b = append(o.b, ',')
}

// key writes a member's name, which needs no escapes.
func (o *out) key(name string) *out {
	o.next()
	o.b = append(o.b, '"')
	o.b = append(o.b, name...)
	o.b = append(o.b, `":`...)
	return o
}

// open begins an object or an array, and end ends it.
func (o *out) open(bracket byte) {
	o.next()
	o.b = append(o.b, bracket)
}

func (o *out) end(bracket byte) { o.b = append(o.b, bracket) }

// raw writes a value as it stands.
func (o *out) raw(v []byte) {
	o.next()
	o.b = append(o.b, v...)
}

func (o *out) literal(v string) {
	o.next()
	o.b = append(o.b, v...)
}

func (o *out) number(n int64) {
	o.next()
	o.b = strconv.AppendInt(o.b, n, 10)
}

// quote writes a text; what is no UTF-8 in it is replaced.
func (o *out) quote(text []byte) {
	o.next()
	o.b, _ = jsontext.AppendQuote(o.b, text)
}

func (o *out) empty() bool { return len(o.b) == 0 }

func isNull(v jsontext.Value) bool { return len(v) == 0 || v[0] == 'n' }

func isText(v jsontext.Value) bool { return len(v) >= 2 && v[0] == '"' }

// isBlank tells whether v is no text, or one that says nothing.
func isBlank(v jsontext.Value) bool { return len(v) <= 2 || v[0] != '"' }

// isEmpty tells whether v has nothing in it, whatever it is.
func isEmpty(v jsontext.Value) bool {
	switch {
	case isNull(v), string(v) == `""`:
		return true
	case v[0] == '{', v[0] == '[':
		return len(bytes.TrimSpace(v[1:len(v)-1])) == 0
	}
	return false
}

func isObject(v jsontext.Value) bool { return len(v) > 0 && v[0] == '{' }

func isTrue(v jsontext.Value) bool { return len(v) > 0 && v[0] == 't' }

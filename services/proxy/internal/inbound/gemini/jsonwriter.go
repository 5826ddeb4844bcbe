package gemini

import (
	"bytes"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/pkg/jsonscan"
)

// jsonWriter writes JSON. It inserts a comma before every member and element, except before
// the first one of an object or array.
type jsonWriter struct{ buf []byte }

func (w *jsonWriter) comma() {
	if n := len(w.buf); n > 0 && bytes.IndexByte([]byte("{[:"), w.buf[n-1]) < 0 {
		w.buf = append(w.buf, ',')
	}
}

// key writes a member name. The name must not need escapes.
func (w *jsonWriter) key(name string) *jsonWriter {
	w.comma()
	w.buf = append(append(append(w.buf, '"'), name...), `":`...)
	return w
}

func (w *jsonWriter) open(bracket byte) {
	w.comma()
	w.buf = append(w.buf, bracket)
}

// close writes closing brackets.
func (w *jsonWriter) close(brackets string) { w.buf = append(w.buf, brackets...) }

// raw writes JSON unchanged.
func (w *jsonWriter) raw(v []byte) {
	w.comma()
	w.buf = append(w.buf, v...)
}

func (w *jsonWriter) literal(v string) {
	w.comma()
	w.buf = append(w.buf, v...)
}

func (w *jsonWriter) number(n int64) {
	w.comma()
	w.buf = strconv.AppendInt(w.buf, n, 10)
}

// quote writes text as a JSON string and replaces invalid UTF-8.
func (w *jsonWriter) quote(text []byte) {
	w.comma()
	w.buf = jsonscan.AppendQuoted(w.buf, text)
}

func (w *jsonWriter) text(s string) { w.quote([]byte(s)) }

// array writes a member with elements that were written before, unless there are none.
func (w *jsonWriter) array(name string, elements *jsonWriter) {
	if elements.isEmpty() {
		return
	}
	w.key(name).open('[')
	w.raw(elements.buf)
	w.close("]")
}

func (w *jsonWriter) isEmpty() bool { return len(w.buf) == 0 }

func isObject(v jsontext.Value) bool { return len(v) > 0 && v[0] == '{' }

func isTrue(v jsontext.Value) bool { return len(v) > 0 && v[0] == 't' }

// lacksText reports whether v is an empty string or not a string.
func lacksText(v jsontext.Value) bool { return len(v) <= 2 || v[0] != '"' }

// compactJSON returns a value without white space between its tokens, so that it fits into
// one line. It returns nil if the value is not valid JSON.
func compactJSON(v []byte) []byte {
	compact, err := jsontext.AppendFormat(nil, v,
		jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true), jsontext.PreserveRawStrings(true))
	if err != nil {
		return nil
	}
	return bytes.ToValidUTF8(compact, []byte("\ufffd"))
}

// camelCase returns a member name in camelCase. Google accepts camelCase and snake_case. A name
// that mixes both is unknown to Google and to the parser, so it stays unknown here too.
func camelCase(name []byte) string {
	isUpper := func(r rune) bool { return r >= 'A' && r <= 'Z' }
	if bytes.IndexByte(name, '_') < 0 || bytes.ContainsFunc(name, isUpper) {
		return string(name)
	}
	out := make([]byte, 0, len(name))
	for i := 0; i < len(name); i++ {
		if c := name[i]; c == '_' && i > 0 && i+1 < len(name) && name[i+1] >= 'a' && name[i+1] <= 'z' {
			i++
			out = append(out, name[i]-('a'-'A'))
		} else {
			out = append(out, c)
		}
	}
	return string(out)
}

// field is a member, with its camelCase name, and the variable that gets its value.
type field struct {
	name string
	to   *jsontext.Value
}

// readFields stores the members of an object that are not null. It calls other for each
// remaining member, with the client's spelling. other may be nil.
func readFields(object jsontext.Value, other func(name string, v jsontext.Value), fields ...field) {
	for name, v := range jsonscan.Members(object) {
		if jsonscan.IsNull(v) {
			continue
		}
		if to := findField(camelCase(name), fields); to != nil {
			*to = v
		} else if other != nil {
			other(string(name), v)
		}
	}
}

func findField(name string, fields []field) *jsontext.Value {
	for _, f := range fields {
		if f.name == name {
			return f.to
		}
	}
	return nil
}

// oneOrMany returns the elements of an array, or a single object as its only element.
func oneOrMany(v jsontext.Value) []jsontext.Value {
	if isObject(v) {
		return []jsontext.Value{v}
	}
	var all []jsontext.Value
	for one := range jsonscan.Elements(v) {
		all = append(all, one)
	}
	return all
}

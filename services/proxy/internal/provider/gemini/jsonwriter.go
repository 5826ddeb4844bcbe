package gemini

import (
	"bytes"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/signalbox/signalbox/pkg/jsonscan"
)

// jsonWriter writes JSON. It inserts a comma before every member and element, except
// before the first one of an object or array.
type jsonWriter struct{ buf []byte }

func (o *jsonWriter) writeComma() {
	if len(o.buf) == 0 {
		return
	}
	switch o.buf[len(o.buf)-1] {
	case '{', '[', ':':
		return
	}
	o.buf = append(o.buf, ',')
}

// key writes a member name. The name must not need escapes.
func (o *jsonWriter) key(name string) *jsonWriter {
	o.writeComma()
	o.buf = append(o.buf, '"')
	o.buf = append(o.buf, name...)
	o.buf = append(o.buf, `":`...)
	return o
}

// quotedKey writes a member name that may need escapes.
func (o *jsonWriter) quotedKey(name []byte) *jsonWriter {
	o.quote(name)
	o.buf = append(o.buf, ':')
	return o
}

// open writes the opening bracket of an object or array.
func (o *jsonWriter) open(bracket byte) {
	o.writeComma()
	o.buf = append(o.buf, bracket)
}

func (o *jsonWriter) close(bracket byte) { o.buf = append(o.buf, bracket) }

// raw writes a value unchanged.
func (o *jsonWriter) raw(v []byte) {
	o.writeComma()
	o.buf = append(o.buf, v...)
}

func (o *jsonWriter) literal(v string) {
	o.writeComma()
	o.buf = append(o.buf, v...)
}

func (o *jsonWriter) number(n int64) {
	o.writeComma()
	o.buf = strconv.AppendInt(o.buf, n, 10)
}

// quote writes text as a JSON string and replaces invalid UTF-8.
func (o *jsonWriter) quote(text []byte) {
	o.writeComma()
	o.buf, _ = jsontext.AppendQuote(o.buf, text)
}

func (o *jsonWriter) isEmpty() bool { return len(o.buf) == 0 }

// lacksText reports whether v is an empty string or not a string.
func lacksText(v jsontext.Value) bool { return len(v) <= 2 || v[0] != '"' }

// isEmpty reports whether v is absent, null, or an empty string, object or array.
func isEmpty(v jsontext.Value) bool {
	switch {
	case jsonscan.IsNull(v), string(v) == `""`:
		return true
	case v[0] == '{', v[0] == '[':
		return len(bytes.TrimSpace(v[1:len(v)-1])) == 0
	}
	return false
}

func isObject(v jsontext.Value) bool { return len(v) > 0 && v[0] == '{' }

func isTrue(v jsontext.Value) bool { return len(v) > 0 && v[0] == 't' }

// field is a member of an object and the variable that gets its value.
type field struct {
	name string
	to   *jsontext.Value
}

// findField returns the variable for a member, or nil if the member is not read.
func findField(name string, fields ...field) *jsontext.Value {
	for _, f := range fields {
		if f.name == name {
			return f.to
		}
	}
	return nil
}

// readFields stores the values of an object's members. A field keeps its value if the object
// lacks the member.
func readFields(object jsontext.Value, fields ...field) {
	for name, v := range jsonscan.Members(object) {
		if to := findField(string(name), fields...); to != nil {
			*to = v
		}
	}
}

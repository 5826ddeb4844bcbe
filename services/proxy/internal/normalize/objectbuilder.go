package normalize

import (
	"bytes"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/pkg/jsonscan"
	"github.com/signalbox/signalbox/services/proxy/internal/upstreamerror"
)

// objectBuilder builds a JSON object whose members arrive in fragments.
type objectBuilder []builtMember

// builtMember is a member of the object. rawName is its name in escaped form, with
// quotes. data is the JSON value so far.
type builtMember struct {
	rawName string
	data    []byte
}

// join adds v to a member. It ignores blank values. A string or array is appended to a
// previous value of the same kind. Any other value replaces the previous value. Strings are
// joined in escaped form, so that a surrogate pair that an upstream has split is valid again.
func (o *objectBuilder) join(rawName string, v jsontext.Value) {
	if jsonscan.IsBlank(v) {
		return
	}
	p := o.findOrAdd(rawName)
	switch {
	case len(p.data) == 0 || p.data[0] != v[0] || v[0] != '"' && v[0] != '[':
		p.data = append(p.data[:0], v...)
	case v[0] == '"':
		p.data = append(p.data[:len(p.data)-1], v[1:]...)
	default:
		p.joinArray(v)
	}
}

// joinArray appends the elements of the array v. Both arrays may be empty.
func (p *builtMember) joinArray(v jsontext.Value) {
	switch {
	case len(bytes.TrimSpace(v[1:len(v)-1])) == 0:
	case len(bytes.TrimSpace(p.data[1:len(p.data)-1])) == 0:
		p.data = append(p.data[:0], v...)
	default:
		p.data = append(p.data[:len(p.data)-1], ',')
		p.data = append(p.data, v[1:]...)
	}
}

// set replaces a member, unless v is null.
func (o *objectBuilder) set(rawName string, v jsontext.Value) {
	if jsonscan.IsNull(v) {
		return
	}
	p := o.findOrAdd(rawName)
	p.data = append(p.data[:0], v...)
}

// findOrAdd returns the member of that name. It adds the member if it is missing.
func (o *objectBuilder) findOrAdd(rawName string) *builtMember {
	at := slices.IndexFunc(*o, func(p builtMember) bool { return p.rawName == rawName })
	if at < 0 {
		*o = append(*o, builtMember{rawName: rawName})
		at = len(*o) - 1
	}
	return &(*o)[at]
}

// forEachMember calls f for each member in extra. A comma precedes each member.
func forEachMember(extra []byte, f func(rawName string, v jsontext.Value)) {
	if len(extra) == 0 {
		return
	}
	text := append([]byte{'{'}, extra[1:]...)
	var s jsonscan.Reader
	s.ResetLimited(append(text, '}'), true)
	s.Enter(jsonscan.BeginObject)
	for s.NextMember() {
		name := string(s.RawName())
		f(name, s.Value())
	}
}

// checkSize returns an error if the object has so many members that lookups become
// slow.
func (o objectBuilder) checkSize() error {
	if len(o) > jsonscan.MaxMembers {
		return upstreamerror.InvalidResponse(jsonscan.ErrTooManyMembers.Error())
	}
	return nil
}

// appendMembers appends the members, with a comma before each of them.
func (o objectBuilder) appendMembers(dst []byte) []byte {
	for _, p := range o {
		dst = jsonscan.AppendMember(dst, []byte(p.rawName), p.data)
	}
	return dst
}

func (o objectBuilder) appendJSON(dst []byte) []byte {
	from := len(dst)
	dst = o.appendMembers(dst)
	if len(dst) == from {
		return append(dst, "{}"...)
	}
	dst[from] = '{'
	return append(dst, '}')
}

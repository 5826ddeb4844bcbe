package jsonscan

import (
	"bytes"
	"iter"

	"github.com/go-json-experiment/json/jsontext"
)

// Members iterates over the members of an object. It yields the unescaped name and
// the raw value of each member. It stops silently at a syntax error and yields
// nothing if src is not an object. If src has not been validated, call Valid first.
func Members(src []byte) iter.Seq2[[]byte, jsontext.Value] {
	return func(yield func([]byte, jsontext.Value) bool) {
		var s Scanner
		s.Reset(src, true)
		if s.PeekKind() != BeginObject {
			return
		}
		_, _ = s.ReadToken()
		for s.PeekKind() == String {
			name, err := s.ReadToken()
			if err != nil {
				return
			}
			v, ok := s.readValue()
			if !ok || !yield(DecodeString(name), v) {
				return
			}
		}
	}
}

// Member returns the raw value of a member, or nil if it is absent. Several names are a path:
// Member(src, "a", "b") returns the member b of the object a. Of duplicate members, the last
// one counts.
func Member(src []byte, path ...string) jsontext.Value {
	for _, name := range path {
		var found jsontext.Value
		for n, v := range Members(src) {
			if string(n) == name {
				found = v
			}
		}
		src = found
	}
	return src
}

// Elements iterates over the raw values of an array. Like Members, it stops silently at a
// syntax error and yields nothing if src is not an array.
func Elements(src []byte) iter.Seq[jsontext.Value] {
	return func(yield func(jsontext.Value) bool) {
		var s Scanner
		s.Reset(src, true)
		if s.PeekKind() != BeginArray {
			return
		}
		_, _ = s.ReadToken()
		for kind := s.PeekKind(); kind != EndArray && kind != Invalid; kind = s.PeekKind() {
			v, ok := s.readValue()
			if !ok || !yield(v) {
				return
			}
		}
	}
}

// Valid reports whether src is exactly one JSON value in lenient mode.
func Valid(src []byte) bool {
	var s Scanner
	s.Reset(src, true)
	_, ok := s.readValue()
	return ok && s.CheckEnd() == nil
}

// DecodeString returns the content of a JSON string, or nil for any other value. The
// result may be a slice of v. If the string contains escapes, lone surrogates and invalid
// UTF-8 are replaced by U+FFFD. Otherwise the content is returned unchanged.
func DecodeString(v []byte) []byte {
	if len(v) < 2 || v[0] != '"' {
		return nil
	}
	inner := v[1 : len(v)-1]
	if bytes.IndexByte(inner, '\\') < 0 {
		return inner
	}
	unescaped, _ := jsontext.AppendUnquote(nil, v)
	return unescaped
}

// readValue reads the next value, including nested values.
func (s *Scanner) readValue() (jsontext.Value, bool) {
	depth := s.Depth()
	v, err := s.ReadToken()
	if err != nil {
		return nil, false
	}
	start := s.end - len(v)
	for s.Depth() > depth {
		if _, err := s.ReadToken(); err != nil {
			return nil, false
		}
	}
	return s.src[start:s.end], true
}

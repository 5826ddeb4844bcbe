package jsonscan

import (
	"bytes"
	"iter"

	"github.com/go-json-experiment/json/jsontext"
)

// Members walks over an object: names unescaped, values as written. It ends
// where the text is no JSON, and at once where it is no object: a text that
// was not read before is asked Valid first.
func Members(src []byte) iter.Seq2[[]byte, jsontext.Value] {
	return func(yield func([]byte, jsontext.Value) bool) {
		var s Scanner
		s.Reset(src, true)
		if s.Peek() != BeginObject {
			return
		}
		_, _ = s.Token()
		for s.Peek() == String {
			name, err := s.Token()
			if err != nil {
				return
			}
			v, ok := s.value()
			if !ok || !yield(Text(name), v) {
				return
			}
		}
	}
}

// Elements walks over an array as Members does over an object.
func Elements(src []byte) iter.Seq[jsontext.Value] {
	return func(yield func(jsontext.Value) bool) {
		var s Scanner
		s.Reset(src, true)
		if s.Peek() != BeginArray {
			return
		}
		_, _ = s.Token()
		for kind := s.Peek(); kind != EndArray && kind != Invalid; kind = s.Peek() {
			v, ok := s.value()
			if !ok || !yield(v) {
				return
			}
		}
	}
}

// Valid tells whether a text is one JSON value, read leniently.
func Valid(src []byte) bool {
	var s Scanner
	s.Reset(src, true)
	_, ok := s.value()
	return ok && s.End() == nil
}

// Text is the text of a string value, which it may be a slice of; nil for any
// other value. What is no text in it becomes U+FFFD.
func Text(v []byte) []byte {
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

// value reads the next value whole.
func (s *Scanner) value() (jsontext.Value, bool) {
	depth := s.Depth()
	v, err := s.Token()
	if err != nil {
		return nil, false
	}
	start := s.end - len(v)
	for s.Depth() > depth {
		if _, err := s.Token(); err != nil {
			return nil, false
		}
	}
	return s.src[start:s.end], true
}

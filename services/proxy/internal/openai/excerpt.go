package openai

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"
)

// MaxExcerpt is the most that Excerpt returns, in bytes.
const MaxExcerpt = 8 << 10

// Excerpt returns the beginning of the last user message's text, at most
// limit bytes and never more than MaxExcerpt, cut between two runes. It is
// empty for embeddings and where the user sent no text.
func (r *Request) Excerpt(limit int) string {
	limit = min(limit, MaxExcerpt)
	v := jsontext.Value(r.Body[r.edits.lastUser.from:r.edits.lastUser.to])
	if isText(v) {
		return string(appendHead(nil, v, limit))
	}
	if isNull(v) {
		return ""
	}
	return string(appendParts(nil, v, limit))
}

// appendParts appends the texts of an array of parts, a line each.
func appendParts(dst []byte, parts jsontext.Value, limit int) []byte {
	var s scanner
	s.reset(parts, false)
	s.token()
	for s.element() {
		s.token()
		for s.member() {
			named := string(s.name) == "text"
			v := s.value()
			if !named || !isText(v) || len(dst) >= limit {
				continue
			}
			if len(dst) > 0 {
				dst = append(dst, '\n')
			}
			dst = appendHead(dst, v, limit-len(dst))
		}
	}
	return dst
}

// joinParts is the texts of an array of parts, one behind the other, what was
// thought the same way, and whether that is all there is in it.
func joinParts(parts jsontext.Value) (joined, thought []byte, all bool) {
	var s scanner
	s.reset(parts, true)
	s.token()
	all = true
	for s.element() {
		found := false
		if !s.open(jsontext.KindBeginObject) {
			v := s.value()
			if found = isText(v); found {
				joined = appendText(joined, v)
			}
		} else {
			for s.member() {
				name := string(s.name)
				v := s.value()
				switch {
				case name == "text" && isText(v):
					joined, found = appendText(joined, v), true
				case name == "thinking" && isText(v):
					thought, found = appendText(thought, v), true
				case name == "thinking" && v.Kind() == jsontext.KindBeginArray:
					inner, _, whole := joinParts(v)
					thought, found = append(thought, inner...), whole
				}
			}
		}
		all = all && found
	}
	return joined, thought, all && s.err == nil
}

// appendHead appends at most limit bytes of a string value's text. The limit
// is applied to the text as written, which is never shorter.
func appendHead(dst []byte, v jsontext.Value, limit int) []byte {
	inner := cut(v[1:len(v)-1], limit)
	if bytes.IndexByte(inner, '\\') < 0 {
		return append(dst, inner...)
	}
	quoted := append(append([]byte{'"'}, inner...), '"')
	return appendText(dst, quoted)
}

package openai

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"
)

// MaxExcerptBytes is the maximum length of an excerpt.
const MaxExcerptBytes = 8 << 10

// Excerpt returns the beginning of the text of the last user message. It has at most
// limit bytes, never more than MaxExcerptBytes, and is cut at a rune boundary. It is
// empty for embeddings, and if the message has no text.
func (r *Request) Excerpt(limit int) string {
	limit = min(limit, MaxExcerptBytes)
	v := jsontext.Value(r.Body[r.edits.lastUserContent.from:r.edits.lastUserContent.to])
	if isString(v) {
		return string(appendTextHead(nil, v, limit))
	}
	if isNull(v) {
		return ""
	}
	return string(appendPartTexts(nil, v, limit))
}

// appendPartTexts appends the texts of an array of parts, one per line.
func appendPartTexts(dst []byte, parts jsontext.Value, limit int) []byte {
	var s scanner
	s.reset(parts, false)
	s.readToken()
	for s.nextElement() {
		s.readToken()
		for s.nextMember() {
			isText := string(s.name) == "text"
			v := s.readValue()
			if !isText || !isString(v) || len(dst) >= limit {
				continue
			}
			if len(dst) > 0 {
				dst = append(dst, '\n')
			}
			dst = appendTextHead(dst, v, limit-len(dst))
		}
	}
	return dst
}

// joinTextParts concatenates the texts of an array of parts. It concatenates the
// reasoning texts separately. onlyText is false if there are parts of other types.
func joinTextParts(parts jsontext.Value) (joined, reasoning []byte, onlyText bool) {
	var s scanner
	s.reset(parts, true)
	s.readToken()
	onlyText = true
	for s.nextElement() {
		isText := false
		if !s.enter(jsontext.KindBeginObject) {
			v := s.readValue()
			if isText = isString(v); isText {
				joined = appendUnquoted(joined, v)
			}
		} else {
			for s.nextMember() {
				name := string(s.name)
				v := s.readValue()
				switch {
				case name == "text" && isString(v):
					joined, isText = appendUnquoted(joined, v), true
				case name == "thinking" && isString(v):
					reasoning, isText = appendUnquoted(reasoning, v), true
				case name == "thinking" && v.Kind() == jsontext.KindBeginArray:
					inner, _, innerOnlyText := joinTextParts(v)
					reasoning, isText = append(reasoning, inner...), innerOnlyText
				}
			}
		}
		onlyText = onlyText && isText
	}
	return joined, reasoning, onlyText && s.err == nil
}

// appendTextHead appends at most limit bytes of the text of a string. The limit
// applies to the escaped form, which is never shorter than the text.
func appendTextHead(dst []byte, v jsontext.Value, limit int) []byte {
	inner := truncateEscaped(v[1:len(v)-1], limit)
	if bytes.IndexByte(inner, '\\') < 0 {
		return append(dst, inner...)
	}
	quoted := append(append([]byte{'"'}, inner...), '"')
	return appendUnquoted(dst, quoted)
}

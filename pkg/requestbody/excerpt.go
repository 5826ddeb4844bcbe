package requestbody

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/pkg/jsonscan"
)

// MaxExcerptBytes is the maximum length of an excerpt.
const MaxExcerptBytes = 8 << 10

// Excerpt returns the beginning of the text of the last user message. It has at most
// limit bytes, never more than MaxExcerptBytes, and is cut at a rune boundary. It is
// empty for embeddings, and if the message has no text.
func (r *Request) Excerpt(limit int) string { return string(r.AppendExcerpt(nil, limit)) }

// AppendExcerpt appends what Excerpt returns.
func (r *Request) AppendExcerpt(dst []byte, limit int) []byte {
	limit = min(limit, MaxExcerptBytes)
	v := jsontext.Value(r.Body[r.lastUserContent.from:r.lastUserContent.to])
	switch {
	case jsonscan.IsString(v):
		return appendTextHead(dst, v, limit)
	case jsonscan.IsNull(v):
		return dst
	}
	return appendPartTexts(dst, v, limit)
}

// appendPartTexts appends the texts of an array of parts, one per line.
func appendPartTexts(dst []byte, parts jsontext.Value, limit int) []byte {
	begin := len(dst)
	var s jsonscan.Reader
	s.ResetLimited(parts, false)
	s.Enter(jsonscan.BeginArray)
	for s.NextElement() {
		s.Enter(jsonscan.BeginObject)
		for s.NextMember() {
			isText := string(s.Name()) == "text"
			v := s.Value()
			if !isText || !jsonscan.IsString(v) || len(dst)-begin >= limit {
				continue
			}
			if len(dst) > begin {
				dst = append(dst, '\n')
			}
			dst = appendTextHead(dst, v, limit-(len(dst)-begin))
		}
	}
	return dst
}

// appendTextHead appends at most limit bytes of the text of a string. The limit
// applies to the escaped form, which is never shorter than the text.
func appendTextHead(dst []byte, v jsontext.Value, limit int) []byte {
	inner := jsonscan.TruncateEscaped(v[1:len(v)-1], limit)
	if bytes.IndexByte(inner, '\\') < 0 {
		return append(dst, inner...)
	}
	quoted := append(append([]byte{'"'}, inner...), '"')
	return jsonscan.AppendUnquoted(dst, quoted)
}

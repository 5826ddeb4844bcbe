package outbound

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/pkg/jsonscan"
	"github.com/signalbox/signalbox/pkg/requestbody"
)

// toolMedia holds the parts of adjacent tool messages that are not text, such as images.
type toolMedia struct {
	// parts has a comma before each part.
	parts []byte
	// end is the offset of the end of the last tool message.
	end int
}

// mayHaveToolMedia reports whether a tool message may contain media that the upstream rejects.
func (e *bodyEditor) mayHaveToolMedia() bool {
	return e.wire.ToolText && e.req.Traits&requestbody.HasToolCalls != 0 && e.req.HasMedia()
}

// moveToolMedia removes the media of a tool message, which starts at the offset base. Before any
// other message it inserts the media of the tool messages before it.
func (e *bodyEditor) moveToolMedia(m *toolMedia, message jsontext.Value, base int) {
	var role, id, content jsontext.Value
	contentEnd := 0
	var s jsonscan.Reader
	s.ResetLimited(message, true)
	for s.Enter(jsonscan.BeginObject); s.NextMember(); {
		switch v := s.Value(); string(s.Name()) {
		case "role":
			role = v
		case "tool_call_id":
			id = v
		case "content":
			content, contentEnd = v, base+s.Offset()
		}
	}
	if jsonscan.DecodeText(role) != "tool" {
		e.insertToolMedia(m)
		return
	}
	m.end = base + len(message)
	if text, hasMedia := m.addMedia(id, content); hasMedia {
		e.replaceSpan(span{contentEnd - len(content), contentEnd}, text)
	}
}

// addMedia adds the media of a content. It returns the content without them.
func (m *toolMedia) addMedia(id, content jsontext.Value) (text []byte, hasMedia bool) {
	text = []byte{'['}
	for part := range jsonscan.Elements(content) {
		if v := jsonscan.Member(part, "text"); jsonscan.IsString(v) {
			text = append(append(append(text, `{"type":"text","text":`...), v...), "},"...)
			continue
		}
		if !hasMedia {
			m.parts = append(m.parts, `,{"type":"text","text":`...)
			m.parts = jsonscan.AppendQuoted(m.parts, "Part of the result of tool call "+string(StripSignature(jsonscan.DecodeString(id)))+":")
			m.parts = append(m.parts, '}')
		}
		hasMedia = true
		m.parts = appendWithoutCache(append(m.parts, ','), part)
	}
	if len(text) == 1 {
		return []byte(`""`), hasMedia
	}
	text[len(text)-1] = ']'
	return text, hasMedia
}

// appendWithoutCache appends a part without its cache marker.
func appendWithoutCache(dst []byte, part jsontext.Value) []byte {
	dst = append(dst, '{')
	start := len(dst)
	for name, v := range jsonscan.Members(part) {
		if string(name) != "cache_control" {
			dst = append(append(append(jsonscan.AppendQuoted(dst, name), ':'), v...), ',')
		}
	}
	if len(dst) > start {
		dst = dst[:len(dst)-1]
	}
	return append(dst, '}')
}

// insertToolMedia inserts a message of the user after the tool messages.
func (e *bodyEditor) insertToolMedia(m *toolMedia) {
	if len(m.parts) > 0 {
		message := append([]byte(`,{"role":"user","content":[`), m.parts[1:]...)
		e.replaceSpan(span{m.end, m.end}, append(message, "]}"...))
		m.parts = nil
	}
}

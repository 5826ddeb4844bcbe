package anthropic

import (
	"github.com/signalbox/signalbox/pkg/jsonscan"
)

// contentPart is one part of a message's content, as raw JSON.
type contentPart struct {
	kind, text, image, file, source, cache, raw []byte
	message                                     *message
	// unknownFields names the members that parseContentPart does not read, except empty ones.
	unknownFields []string
}

func (p *contentPart) isText() bool { return jsonscan.IsString(p.text) }

// isNative reports whether the part already is a block of the Messages format.
func (p *contentPart) isNative() bool {
	kind := stringValue(p.kind)
	return isObject(p.source) && (kind == "image" || kind == "document")
}

func (p *contentPart) unsupportedError(why string) error {
	return p.message.unsupportedError("content", why)
}

// eachPart calls handle for each part of a message. A content that is a string counts as
// one part. If the last part has no cache_control, it gets the cache_control of the message.
func (o *requestTranslator) eachPart(m *message, handle func(*contentPart) error) error {
	if jsonscan.IsString(m.content) {
		return handle(&contentPart{text: m.content, cache: m.cache, message: m})
	}
	var last *contentPart
	for raw := range jsonscan.Elements(m.content) {
		if last != nil {
			if err := handle(last); err != nil {
				return err
			}
		}
		last = parseContentPart(m, raw)
		if !last.isNative() {
			o.reportDroppedEach("messages[].content[].", last.unknownFields)
		}
	}
	if last == nil {
		return nil
	}
	if last.cache == nil {
		last.cache = m.cache
	}
	return handle(last)
}

func parseContentPart(m *message, raw []byte) *contentPart {
	p := &contentPart{raw: raw, message: m}
	for name, v := range jsonscan.Members(raw) {
		dst := findField(string(name), field{"type", &p.kind}, field{"text", &p.text}, field{"refusal", &p.text},
			field{"image_url", &p.image}, field{"file", &p.file}, field{"source", &p.source}, field{"cache_control", &p.cache})
		switch {
		case dst != nil:
			*dst = v
		case !isEmpty(v):
			p.unknownFields = append(p.unknownFields, string(name))
		}
	}
	return p
}

package anthropic

import (
	"github.com/signalbox/signalbox/services/proxy/internal/jsonscan"
)

// part is one of a message's content, as the client wrote it.
type part struct {
	kind                             string
	text, image, file, source, cache []byte
	raw                              []byte
	of                               *message
	// others are members that the format does not have.
	others []string
}

func (p *part) isText() bool { return isText(p.text) }

// isNative tells whether it is in the format already.
func (p *part) isNative() bool {
	return isObject(p.source) && (p.kind == "image" || p.kind == "document")
}

func (p *part) unsupported(why string) error { return p.of.unsupported("content", why) }

// content gives the parts of a message, of which a string is one. What the
// message says about caching is about its end.
func (o *outbound) content(m *message, put func(*part) error) error {
	if isText(m.content) {
		return put(&part{kind: "text", text: m.content, cache: m.cache, of: m})
	}
	var last *part
	for raw := range jsonscan.Elements(m.content) {
		if last != nil {
			if err := put(last); err != nil {
				return err
			}
		}
		last = readPart(m, raw)
		if !last.isNative() {
			o.dropEach("messages[].content[].", last.others)
		}
	}
	if last == nil {
		return nil
	}
	if last.cache == nil {
		last.cache = m.cache
	}
	return put(last)
}

func readPart(m *message, raw []byte) *part {
	p := &part{raw: raw, of: m}
	for name, v := range jsonscan.Members(raw) {
		switch string(name) {
		case "type":
			p.kind = word(v)
		case "text", "refusal":
			p.text = v
		case "image_url":
			p.image = v
		case "file":
			p.file = v
		case "source":
			p.source = v
		case "cache_control":
			p.cache = v
		default:
			if !isEmpty(v) {
				p.others = append(p.others, string(name))
			}
		}
	}
	return p
}

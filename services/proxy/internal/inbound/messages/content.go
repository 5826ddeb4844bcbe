package messages

import (
	"github.com/signalbox/signalbox/pkg/jsonscan"
)

// contentBuilder collects the parts of a chat message.
type contentBuilder struct {
	// parts holds the parts so far, except the last one if it is a text.
	parts []byte
	// text and cache are the last part if it is a text. Its cache marker can still be set.
	text, cache []byte
	count       int
}

func (c *contentBuilder) reset() { *c = contentBuilder{parts: c.parts[:0]} }

// addText adds a text part. text is a JSON string.
func (c *contentBuilder) addText(text, cache []byte) {
	if !jsonscan.IsString(text) {
		return
	}
	c.flushText()
	c.text, c.cache = text, cache
	c.count++
}

func (c *contentBuilder) flushText() {
	if c.text == nil {
		return
	}
	c.parts = appendMember(append(c.parts, `{"type":"text",`...), "text", c.text)
	c.parts = closeWith(appendMember(c.parts, "cache_control", c.cache), "},")
	c.text, c.cache = nil, nil
}

// addPart adds a part that is not text. value is the value of the member that the part's type
// names.
func (c *contentBuilder) addPart(kind string, value, cache []byte) {
	c.flushText()
	c.parts = appendMember(append(c.parts, '{'), "type", []byte(`"`+kind+`"`))
	c.parts = appendMember(c.parts, kind, value)
	c.parts = closeWith(appendMember(c.parts, "cache_control", cache), "},")
	c.count++
}

// markCache sets a cache marker after the last part. It returns false if that part is not a
// text or has a marker of its own.
func (c *contentBuilder) markCache(cache []byte) bool {
	if c.text == nil || c.cache != nil {
		return false
	}
	c.cache = cache
	return true
}

// appendValue appends the content: a string if it is a single text without a cache marker,
// which every upstream accepts. Otherwise it is an array of parts.
func (c *contentBuilder) appendValue(dst []byte) []byte {
	switch {
	case c.count == 0:
		return append(dst, `""`...)
	case c.count == 1 && c.text != nil && c.cache == nil:
		return append(dst, c.text...)
	}
	c.flushText()
	dst = append(append(dst, '['), c.parts...)
	return closeWith(dst, "]")
}

// appendMessage appends a chat message with the content.
func (c *contentBuilder) appendMessage(dst []byte, role string) []byte {
	dst = appendMember(append(dst, '{'), "role", []byte(`"`+role+`"`))
	dst = c.appendValue(appendName(dst, "content"))
	return append(dst, "},"...)
}

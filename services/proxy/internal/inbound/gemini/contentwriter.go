package gemini

import "github.com/go-json-experiment/json/jsontext"

// addMessage writes a message. members writes further members and may be nil.
func (t *requestTranslator) addMessage(role string, content *contentWriter, members func(w *jsonWriter)) {
	w := &t.messages
	w.open('{')
	w.key("role").text(role)
	content.writeTo(w.key("content"))
	if members != nil {
		members(w)
	}
	w.close("}")
}

// contentWriter builds the content of a message: a string for one text, otherwise an array
// of parts.
type contentWriter struct {
	parts jsonWriter
	// count is the number of parts. onlyText is the first text.
	count    int
	onlyText jsontext.Value
}

func (c *contentWriter) isEmpty() bool { return c.count == 0 }

// startPart opens a part. The caller writes the member that is named like its type, and
// closes it.
func (c *contentWriter) startPart(kind string) *jsonWriter {
	c.count++
	c.parts.open('{')
	c.parts.key("type").text(kind)
	return c.parts.key(kind)
}

func (c *contentWriter) addText(text jsontext.Value) {
	c.onlyText = text
	c.startPart("text").raw(text)
	c.parts.close("}")
}

func (c *contentWriter) writeTo(w *jsonWriter) {
	switch {
	case c.count == 0:
		w.literal("null")
	case c.count == 1 && c.onlyText != nil:
		w.raw(c.onlyText)
	default:
		w.open('[')
		w.raw(c.parts.buf)
		w.close("]")
	}
}

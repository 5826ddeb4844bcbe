package messages

import (
	"bytes"

	"github.com/signalbox/signalbox/pkg/jsonscan"
	"github.com/signalbox/signalbox/pkg/requestbody"
)

// setSystem writes the system prompt as one system message. It omits the line that is meant
// for Anthropic's billing, because it changes from request to request.
func (t *requestTranslator) setSystem(v []byte) {
	t.content.reset()
	if jsonscan.IsString(v) {
		t.addSystemText(v, nil)
	}
	for block := range jsonscan.Elements(v) {
		b := t.parseBlock(block)
		t.addSystemText(b.text, b.cache)
	}
	if t.content.count > 0 {
		t.system = t.content.appendMessage(t.system, "system")
	}
}

func (t *requestTranslator) addSystemText(v, cache []byte) {
	text := requestbody.StripAttribution(inner(v))
	if len(text) == len(inner(v)) {
		t.content.addText(v, cache)
	} else if text = bytes.TrimSpace(text); len(text) > 0 {
		t.content.addText(append(append([]byte{'"'}, text...), '"'), cache)
	}
}

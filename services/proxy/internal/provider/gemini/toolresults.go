package gemini

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/pkg/jsonscan"
)

// addToolResult writes a tool result. Consecutive results form one turn. Google requires
// the function name. In OpenAI requests, usually only the tool call contains the name, so
// addToolResult looks it up by the id of the call.
func (d *requestTranslator) addToolResult(m *message) {
	id, _ := splitSignature(jsonscan.DecodeString(m.callID))
	name, ok := d.functionNames[string(id)]
	if !ok {
		name = m.name
	}
	if lacksText(name) {
		d.reject(m.path+".tool_call_id", "no earlier tool call has this id")
		return
	}
	var text []byte
	var media jsonWriter
	if jsonscan.IsString(m.content) {
		text = jsonscan.DecodeString(m.content)
	}
	for v := range jsonscan.Elements(m.content) {
		if t, ok := d.takeText(v); ok {
			text = append(bytes.Clone(text), t...)
			continue
		}
		d.addContentPart(m, v, func() *jsonWriter { return &media })
	}
	o := d.startPart(speakerResults)
	d.pendingCalls = max(0, d.pendingCalls-1)
	o.open('{')
	o.key("functionResponse").open('{')
	writeCallID(o, id)
	o.key("name").raw(name)
	o.key("response").raw(toResponseObject(text))
	o.buf = append(o.buf, "}}"...)
	if !media.isEmpty() {
		o.raw(media.buf)
	}
}

// takeText returns the text of a text part. ok is false for other parts.
func (d *requestTranslator) takeText(v jsontext.Value) (text []byte, ok bool) {
	var others []string
	for name, v := range jsonscan.Members(v) {
		switch {
		case string(name) == "text" && jsonscan.IsString(v):
			text, ok = jsonscan.DecodeString(v), true
		case string(name) != "type" && !isEmpty(v):
			others = append(others, string(name))
		}
	}
	if ok {
		for _, name := range others {
			d.reportDropped("messages[].content[]." + name)
		}
	}
	return text, ok
}

// toResponseObject returns a tool result as an object, because Google requires an object. A
// result that is not an object becomes the member "output" of a new object.
func toResponseObject(text []byte) []byte {
	trimmed := bytes.TrimSpace(text)
	if len(trimmed) == 0 || !bytes.ContainsRune([]byte("{["), rune(trimmed[0])) || !jsonscan.Valid(trimmed) {
		return wrapText("output", text)
	}
	if trimmed[0] == '{' {
		return trimmed
	}
	var o jsonWriter
	o.open('{')
	o.key("output").raw(trimmed)
	o.close('}')
	return o.buf
}

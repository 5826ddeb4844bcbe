package gemini

import (
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/pkg/jsonscan"
)

// message is one message of the request, as raw JSON.
type message struct {
	// path identifies the message in error texts, such as messages[2].
	path                                            string
	role, content, refusal, name                    jsontext.Value
	toolCalls, legacyCall, callID, reasoningDetails jsontext.Value
}

func (d *requestTranslator) parseMessage(v jsontext.Value, index int) message {
	m := message{path: "messages[" + strconv.Itoa(index) + "]"}
	for name, v := range jsonscan.Members(v) {
		to := findField(string(name), field{"role", &m.role}, field{"content", &m.content}, field{"refusal", &m.refusal},
			field{"name", &m.name}, field{"tool_calls", &m.toolCalls}, field{"function_call", &m.legacyCall},
			field{"tool_call_id", &m.callID}, field{"reasoning_details", &m.reasoningDetails})
		switch {
		case jsonscan.IsNull(v):
		case to != nil:
			*to = v
		case string(name) == "audio":
			d.reject(m.path+".audio", "the audio is stored at another vendor")
		case !isEmpty(v):
			d.reportDropped("messages[]." + string(name))
		}
	}
	return m
}

// addMessages writes all messages. System messages at any position become part of the
// systemInstruction. If there are no other messages, the system messages become the user's
// turn, because Google requires at least one turn.
func (d *requestTranslator) addMessages() {
	index := 0
	for v := range jsonscan.Elements(d.messages) {
		m := d.parseMessage(v, index)
		d.addMessage(&m)
		index++
	}
	d.flushWaiting()
	if d.turn == "" && !d.system.isEmpty() {
		d.startPart(speakerUser).raw(d.system.buf)
		d.system = jsonWriter{}
	}
	if d.turn != "" {
		d.contents.buf = append(d.contents.buf, "]}"...)
	}
}

func (d *requestTranslator) addMessage(m *message) {
	switch string(jsonscan.DecodeString(m.role)) {
	case "system", "developer":
		d.addContent(m, func() *jsonWriter { return &d.system })
	case "user":
		d.addContent(m, func() *jsonWriter { return d.startPart(speakerUser) })
	case "assistant":
		d.addAssistantMessage(m)
		return
	case "tool", "function":
		d.addToolResult(m)
		return
	default:
		d.reject(m.path+".role", `the value must be "system", "developer", "user", "assistant", "tool" or "function"`)
	}
	if m.name != nil {
		d.reportDropped("messages[].name")
	}
}

// addContent writes a string or a list of parts. It skips empty texts, because Google
// rejects them.
func (d *requestTranslator) addContent(m *message, to func() *jsonWriter) {
	if !lacksText(m.content) {
		writeTextPart(to(), m.content)
	}
	for v := range jsonscan.Elements(m.content) {
		d.addContentPart(m, v, to)
	}
}

func writeTextPart(o *jsonWriter, text jsontext.Value) {
	o.open('{')
	o.key("text").raw(text)
	o.close('}')
}

// addAssistantMessage writes the text of an assistant message, then its tool calls.
func (d *requestTranslator) addAssistantMessage(m *message) {
	signature := lastSignature(m.reasoningDetails)
	if signature == nil && isArray(m.reasoningDetails) && len(m.reasoningDetails) > 2 {
		d.reportDropped("messages[].reasoning_details")
	}
	if d.signatures == omitSignatures && signature != nil {
		d.reportDropped("messages[].reasoning_details")
		signature = nil
	}
	before := d.contents.buf
	d.addContent(m, func() *jsonWriter { return d.startPart(speakerModel) })
	if !lacksText(m.refusal) {
		writeTextPart(d.startPart(speakerModel), m.refusal)
	}
	// The thought signature belongs to the last part of the text.
	if b := d.contents.buf; signature != nil && len(b) > len(before) && d.turn == speakerModel && b[len(b)-1] == '}' {
		d.contents.buf = b[:len(b)-1]
		d.contents.key("thoughtSignature").raw(signature)
		d.contents.close('}')
	}
	first := true
	for v := range jsonscan.Elements(m.toolCalls) {
		d.addToolCall(m, v, first)
		first = false
	}
	if isObject(m.legacyCall) {
		d.writeFunctionCall(parseFunction(m.legacyCall), first)
	}
}

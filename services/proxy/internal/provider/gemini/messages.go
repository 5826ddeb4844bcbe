package gemini

import (
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/services/proxy/internal/jsonscan"
)

// message is one of the client's.
type message struct {
	// at names it in errors.
	at                                   string
	role, content, refusal, name         jsontext.Value
	calls, legacyCall, callID, reasoning jsontext.Value
}

func (d *draft) readMessage(v jsontext.Value, at int) message {
	m := message{at: "messages[" + strconv.Itoa(at) + "]"}
	for name, v := range jsonscan.Members(v) {
		if isNull(v) {
			continue
		}
		switch string(name) {
		case "role":
			m.role = v
		case "content":
			m.content = v
		case "refusal":
			m.refusal = v
		case "name":
			m.name = v
		case "tool_calls":
			m.calls = v
		case "function_call":
			m.legacyCall = v
		case "tool_call_id":
			m.callID = v
		case "reasoning_details":
			m.reasoning = v
		case "audio":
			d.refuse(m.at+".audio", "it knows no other vendor's")
		default:
			if !isEmpty(v) {
				d.drop("messages[]." + string(name))
			}
		}
	}
	return m
}

// converse writes all messages. Instructions go where Google has them, from
// wherever they stand; where there is nothing else, they are the question.
func (d *draft) converse() {
	at := 0
	for v := range jsonscan.Elements(d.messages) {
		m := d.readMessage(v, at)
		d.message(&m)
		at++
	}
	d.speak()
	if d.turn == "" && !d.system.empty() {
		d.part(user).raw(d.system.b)
		d.system = out{}
	}
	if d.turn != "" {
		d.contents.b = append(d.contents.b, "]}"...)
	}
}

func (d *draft) message(m *message) {
	switch string(jsonscan.Text(m.role)) {
	case "system", "developer":
		d.content(m, func() *out { return &d.system })
	case "user":
		d.content(m, func() *out { return d.part(user) })
	case "assistant":
		d.answered(m)
		return
	case "tool", "function":
		d.result(m)
		return
	default:
		d.refuse(m.at+".role", "the role is not known")
	}
	if m.name != nil {
		d.drop("messages[].name")
	}
}

// content writes a text or a list of parts. Google refuses texts that are
// empty.
func (d *draft) content(m *message, to func() *out) {
	if !isBlank(m.content) {
		textPart(to(), m.content)
	}
	for v := range jsonscan.Elements(m.content) {
		d.contentPart(m, v, to)
	}
}

func textPart(o *out, text jsontext.Value) {
	o.open('{')
	o.key("text").raw(text)
	o.end('}')
}

// answered writes an assistant's message: what it said, then what it called.
func (d *draft) answered(m *message) {
	sign := replayed(m.reasoning)
	if sign == nil && isArray(m.reasoning) && len(m.reasoning) > 2 {
		d.drop("messages[].reasoning_details")
	}
	if d.replay == forget && sign != nil {
		d.drop("messages[].reasoning_details")
		sign = nil
	}
	before := d.contents.b
	d.content(m, func() *out { return d.part(model) })
	if !isBlank(m.refusal) {
		textPart(d.part(model), m.refusal)
	}
	// A signature belongs to the last part of what was said.
	if b := d.contents.b; sign != nil && len(b) > len(before) && d.turn == model && b[len(b)-1] == '}' {
		d.contents.b = b[:len(b)-1]
		d.contents.key("thoughtSignature").raw(sign)
		d.contents.end('}')
	}
	first := true
	for v := range jsonscan.Elements(m.calls) {
		d.toolCall(m, v, first)
		first = false
	}
	if isObject(m.legacyCall) {
		d.writeCall(functionOf(m.legacyCall), first)
	}
}

package gemini

import (
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/services/proxy/internal/jsonscan"
)

// speaker is whose turn it is. Google has two roles; results of tools are the
// user's, but stay by themselves.
type speaker string

const (
	user    speaker = "user"
	model   speaker = "model"
	results speaker = "results"
)

// conversation is systemInstruction and contents in the making.
type conversation struct {
	system, contents out
	// turn is whose parts are being written, if any.
	turn speaker
	// names are the functions' names, by the ids of their calls.
	names map[string]jsontext.Value
}

// message is one of the client's.
type message struct {
	// at names it in errors.
	at                                   string
	role, content, refusal, name         jsontext.Value
	calls, legacyCall, callID, reasoning jsontext.Value
}

func readMessage(v jsontext.Value, at int) message {
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
		}
	}
	return m
}

// converse writes all messages. Instructions go where Google has them, from
// wherever they stand; where there is nothing else, they are the question.
func (d *draft) converse() {
	at := 0
	for v := range jsonscan.Elements(d.messages) {
		m := readMessage(v, at)
		d.message(&m)
		at++
	}
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

// part is where the speaker's next part is written. Turns of the same speaker
// become one.
func (d *draft) part(s speaker) *out {
	o := &d.contents
	if d.turn == s {
		return o
	}
	if d.turn != "" {
		o.b = append(o.b, "]}"...)
	}
	d.turn = s
	role := s
	if s == results {
		role = user
	}
	o.open('{')
	o.key("role").quote([]byte(role))
	o.key("parts").open('[')
	return o
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
	if d.replay == forget {
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

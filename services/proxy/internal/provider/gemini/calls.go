package gemini

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/services/proxy/internal/jsonscan"
)

// function is a call of one, as the client gives it back.
type function struct {
	id, name  jsontext.Value
	arguments jsontext.Value
	// sign is the signature that came with the call.
	sign []byte
}

// functionOf reads name and arguments.
func functionOf(v jsontext.Value) function {
	var f function
	for name, v := range jsonscan.Members(v) {
		switch string(name) {
		case "name":
			f.name = v
		case "arguments":
			f.arguments = v
		}
	}
	return f
}

func (d *draft) toolCall(m *message, v jsontext.Value, first bool) {
	var f function
	var id jsontext.Value
	var sign []byte
	for name, v := range jsonscan.Members(v) {
		switch string(name) {
		case "id":
			id = v
		case "function":
			f = functionOf(v)
		case "extra_content":
			sign = signatureIn(v)
		}
	}
	if isBlank(f.name) {
		d.refuse(m.at+".tool_calls", "calls of functions alone can be given back")
		return
	}
	f.id, f.sign = id, sign
	d.writeCall(f, first)
}

// writeCall writes a call. Newer models want the signature back that came with
// the first call of a turn, or to be told that there is none.
func (d *draft) writeCall(f function, first bool) {
	id, inID := splitID(jsonscan.Text(f.id))
	if d.names == nil {
		d.names = map[string]jsontext.Value{}
	}
	d.names[string(id)] = f.name
	if f.sign == nil {
		f.sign = inID
	}
	if d.replay == forget {
		f.sign = nil
	}
	if f.sign == nil && first && d.wire.Reasoning != catalog.Budget {
		f.sign = []byte(noSignature)
	}
	o := d.part(model)
	o.open('{')
	o.key("functionCall").open('{')
	ownID(o, id)
	o.key("name").raw(f.name)
	o.key("args").raw(argumentsOf(f.arguments))
	o.end('}')
	if f.sign != nil {
		o.key("thoughtSignature").quote(f.sign)
	}
	o.end('}')
}

// argumentsOf is the object that arguments say, which clients have as a text.
// What is none is handed on inside of one: the model wrote it so.
func argumentsOf(v jsontext.Value) []byte {
	text := jsonscan.Text(v)
	if isObject(v) {
		text = v
	}
	text = bytes.TrimSpace(text)
	switch {
	case len(text) == 0:
		return []byte("{}")
	case text[0] == '{' && jsonscan.Valid(text):
		return text
	}
	return wrapped("arguments", text)
}

func wrapped(name string, text []byte) []byte {
	var o out
	o.open('{')
	o.key(name).quote(text)
	o.end('}')
	return o.b
}

// result writes what a tool gave. All results of a round are one turn; Google
// wants the function's name, which our format has only at the call.
func (d *draft) result(m *message) {
	id, _ := splitID(jsonscan.Text(m.callID))
	name, ok := d.names[string(id)]
	if !ok {
		name = m.name
	}
	if isBlank(name) {
		d.refuse(m.at+".tool_call_id", "no call before it has this id")
		return
	}
	var text []byte
	var media out
	if isText(m.content) {
		text = jsonscan.Text(m.content)
	}
	for v := range jsonscan.Elements(m.content) {
		if t, ok := partText(v); ok {
			text = append(bytes.Clone(text), t...)
			continue
		}
		d.contentPart(m, v, func() *out { return &media })
	}
	o := d.part(results)
	o.open('{')
	o.key("functionResponse").open('{')
	ownID(o, id)
	o.key("name").raw(name)
	o.key("response").raw(responseOf(text))
	o.b = append(o.b, "}}"...)
	if !media.empty() {
		o.raw(media.b)
	}
}

func partText(v jsontext.Value) (text []byte, ok bool) {
	for name, v := range jsonscan.Members(v) {
		if string(name) == "text" && isText(v) {
			return jsonscan.Text(v), true
		}
	}
	return nil, false
}

// responseOf is a result as an object, which Google wants.
func responseOf(text []byte) []byte {
	trimmed := bytes.TrimSpace(text)
	if len(trimmed) == 0 || !bytes.ContainsRune([]byte("{["), rune(trimmed[0])) || !jsonscan.Valid(trimmed) {
		return wrapped("output", text)
	}
	if trimmed[0] == '{' {
		return trimmed
	}
	var o out
	o.open('{')
	o.key("output").raw(trimmed)
	o.end('}')
	return o.b
}

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
	if d.replay == forget {
		d.forgetSigns(f.sign, inID)
		f.sign, inID = nil, nil
	}
	if f.sign == nil {
		f.sign = inID
	}
	if f.sign == nil && first && d.wire.Reasoning != catalog.Budget {
		f.sign = []byte(noSignature)
	}
	o := d.part(model)
	o.open('{')
	d.unanswered++
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

// forgetSigns tells which signatures are left out.
func (d *draft) forgetSigns(beside, inID []byte) {
	if beside != nil {
		d.drop("messages[].tool_calls[].extra_content")
	}
	if inID != nil {
		d.drop("messages[].tool_calls[].id")
	}
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

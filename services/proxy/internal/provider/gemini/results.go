package gemini

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/services/proxy/internal/jsonscan"
)

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
		if t, ok := d.partText(v); ok {
			text = append(bytes.Clone(text), t...)
			continue
		}
		d.contentPart(m, v, func() *out { return &media })
	}
	o := d.part(results)
	d.unanswered = max(0, d.unanswered-1)
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

// partText is the text of a part that is one.
func (d *draft) partText(v jsontext.Value) (text []byte, ok bool) {
	var others []string
	for name, v := range jsonscan.Members(v) {
		switch {
		case string(name) == "text" && isText(v):
			text, ok = jsonscan.Text(v), true
		case string(name) != "type" && !isEmpty(v):
			others = append(others, string(name))
		}
	}
	if ok {
		for _, name := range others {
			d.drop("messages[].content[]." + name)
		}
	}
	return text, ok
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

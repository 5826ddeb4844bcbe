package anthropic

import (
	"slices"

	"github.com/signalbox/signalbox/services/proxy/internal/jsonscan"
)

// noInput is what a call without arguments has.
const noInput = "{}"

// callMembers are those of a call that are made into something, or say nothing.
var callMembers = []string{"id", "index", "type", "function"}

// toolCalls adds the calls of an assistant's message to its turn.
func (o *outbound) toolCalls(m *message) error {
	for call := range jsonscan.Elements(m.calls) {
		if err := o.toolCall(m, call); err != nil {
			return err
		}
	}
	return nil
}

func (o *outbound) toolCall(m *message, raw []byte) error {
	function := member(raw, "function")
	if !isObject(function) {
		return m.unsupported("tool_calls", "it calls functions only")
	}
	for name, v := range jsonscan.Members(raw) {
		if !slices.Contains(callMembers, string(name)) && !isEmpty(v) {
			o.drop("messages[].tool_calls[]." + string(name))
		}
	}
	name := o.names.clean(member(function, "name"))
	arguments := member(function, "arguments")
	b := append(o.scratch[:0], `{"type":"tool_use",`...)
	b = appendMember(b, "id", cleanID(member(raw, "id")))
	b = appendMember(b, "name", name)
	b = appendMember(b, "input", input(arguments))
	o.scratch = closed(b, "},")
	o.turns.call(o.scratch)
	o.called(name)
	return nil
}

// input is the object that the arguments of a call are. What a model wrote and
// nobody can read is an empty one.
func input(arguments []byte) []byte {
	v := arguments
	if isText(v) {
		v = jsonscan.Text(v)
	}
	var r jsonscan.Reader
	r.Reset(v, false)
	if r.Kind() != jsonscan.BeginObject {
		return []byte(noInput)
	}
	object := r.Value()
	if r.End() != nil {
		return []byte(noInput)
	}
	return object
}

// called remembers which tools the conversation has used: the format wants them
// defined.
func (o *outbound) called(name []byte) {
	for _, known := range o.used {
		if string(known) == string(name) {
			return
		}
	}
	o.used = append(o.used, name)
}

// toolMessage adds the result of a call to the user's turn.
func (o *outbound) toolMessage(m *message) error {
	b := append([]byte(nil), `{"type":"tool_result",`...)
	b = appendMember(b, "tool_use_id", cleanID(m.callID))
	if isText(m.content) {
		if !isBlank(m.content) {
			b = appendMember(b, "content", m.content)
		}
	} else if isArray(m.content) {
		parts, err := o.resultParts(m)
		if err != nil {
			return err
		}
		b = appendMember(b, "content", parts)
	}
	if isTrue(m.failed) {
		b = append(b, `"is_error":true,`...)
	}
	b = appendMember(b, "cache_control", m.cache)
	o.turns.result(closed(b, "},"))
	return nil
}

// resultParts is the content of a result that came in parts, nil if all were
// blank.
func (o *outbound) resultParts(m *message) ([]byte, error) {
	out := []byte{'['}
	plain := *m
	plain.cache = nil
	err := o.content(&plain, func(p *part) (err error) {
		switch {
		case !p.isText():
			out, err = o.medium(out, p)
		case !isBlank(p.text):
			out = appendTextBlock(out, p.text, p.cache)
		}
		return err
	})
	if err != nil || len(out) == 1 {
		return nil, err
	}
	return closed(out, "]"), nil
}

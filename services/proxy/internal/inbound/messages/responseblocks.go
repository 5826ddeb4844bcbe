package messages

import (
	"bytes"

	"github.com/signalbox/signalbox/pkg/jsonscan"
)

func (r *responder) appendBlocks(dst []byte, m *chatMessage) []byte {
	details := trimBrackets(m.details)
	if r.showsThinking && (hasText(m.reasoning) || len(details) > 0) {
		dst = append(dst, `{"type":"thinking","thinking":"`...)
		if !r.hidesText {
			dst = append(dst, inner(m.reasoning)...)
		}
		dst = append(dst, `","signature":`...)
		dst = append(appendSignature(dst, inner(m.reasoning), details, r.hidesText), "},"...)
	}
	for _, text := range [][]byte{m.content, m.refusal} {
		if hasText(text) {
			dst = closeWith(appendMember(append(dst, `{"type":"text",`...), "text", text), "},")
		}
	}
	for call := range jsonscan.Elements(m.calls) {
		dst = r.appendToolUse(dst, call)
	}
	return dst
}

func (r *responder) appendToolUse(dst, call []byte) []byte {
	function := jsonscan.Member(call, "function")
	dst = appendMember(append(dst, `{"type":"tool_use",`...), "id", toClientID(jsonscan.Member(call, "id")))
	dst = appendMember(dst, "name", r.names.toClient(jsonscan.Member(function, "name")))
	dst = appendMember(dst, "input", toInput(jsonscan.Member(function, "arguments")))
	return closeWith(dst, "},")
}

// toInput returns the arguments of a call as an object. Arguments that are not a valid object
// become the member "arguments" of a new object, so that the client rejects the call and
// tells the model.
func toInput(arguments []byte) []byte {
	text := bytes.TrimSpace(jsonscan.DecodeString(arguments))
	switch {
	case len(text) == 0:
		return []byte("{}")
	case text[0] == '{' && jsonscan.Valid(text):
		return text
	}
	return append(append([]byte(`{"arguments":`), arguments...), '}')
}

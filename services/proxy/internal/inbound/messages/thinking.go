package messages

import (
	"bytes"
	"encoding/base64"

	"github.com/signalbox/signalbox/pkg/jsonscan"
	"github.com/signalbox/signalbox/pkg/requestbody"
)

// A signature that the proxy issues contains an object with these members, in base64.
const (
	// stateContent is the text of the reasoning, if the thinking block does not show it.
	stateContent = "content"
	// stateDetails are the entries of reasoning_details. A text that is equal to the text of
	// the reasoning is replaced by null, because it would otherwise be sent twice.
	stateDetails = "details"
)

// appendSignature appends the signature of a thinking block, as a JSON string. reasoning is
// the text, still escaped. details holds array elements.
func appendSignature(dst, reasoning, details []byte, isHidden bool) []byte {
	state := []byte{'{'}
	if isHidden && len(reasoning) > 0 {
		state = append(append(append(state, `"`+stateContent+`":"`...), reasoning...), `",`...)
	}
	state = closeWith(appendArray(state, stateDetails, replaceTexts(details, reasoning, "null")), "}")
	dst = append(append(dst, '"'), requestbody.ThinkingMark...)
	return append(base64.RawURLEncoding.AppendEncode(dst, state), '"')
}

// replaceTexts returns entries of reasoning_details in which a text that equals the reasoning
// is replaced.
func replaceTexts(details, reasoning []byte, replacement string) []byte {
	if len(details) == 0 || len(reasoning) == 0 {
		return details
	}
	return editTexts(details, func(text []byte) []byte {
		if jsonscan.IsString(text) && bytes.Equal(inner(text), reasoning) {
			return []byte(replacement)
		}
		return text
	})
}

// editTexts applies edit to the member text of each entry.
func editTexts(details []byte, edit func(text []byte) []byte) []byte {
	list := closeWith(append([]byte{'['}, details...), "]")
	var out []byte
	for entry := range jsonscan.Elements(list) {
		out = append(out, '{')
		for name, v := range jsonscan.Members(entry) {
			if string(name) == "text" {
				v = edit(v)
			}
			out = append(jsonscan.AppendQuoted(out, name), ':')
			out = append(append(out, v...), ',')
		}
		out = closeWith(out, "},")
	}
	return out
}

// restoreThinking adds a thinking block of the assistant to the chat. A block that the proxy
// issued becomes what it was made of. Of any other block only the text stays.
func (t *requestTranslator) restoreThinking(b *block) {
	a := &t.assistant
	if b.cache != nil {
		t.reportDropped("messages[].content[].cache_control")
	}
	encoded, isOwn := bytes.CutPrefix(inner(b.signature), []byte(requestbody.ThinkingMark))
	state, err := base64.RawURLEncoding.DecodeString(string(encoded))
	reasoning := inner(b.thinking)
	if !isOwn && len(encoded) > 0 {
		t.reportDropped("messages[].content[].signature")
	}
	if !isOwn || err != nil || !isStrictObject(state) {
		a.reasoning = append(a.reasoning, reasoning...)
		return
	}
	if hidden := inner(jsonscan.Member(state, stateContent)); len(hidden) > 0 {
		reasoning = hidden
	}
	a.reasoning = append(a.reasoning, reasoning...)
	text := append(append([]byte{'"'}, reasoning...), '"')
	details := trimBrackets(jsonscan.Member(state, stateDetails))
	if len(details) == 0 {
		return
	}
	a.details = append(a.details, editTexts(details, func(v []byte) []byte {
		if jsonscan.IsNull(v) {
			return text
		}
		return v
	})...)
}

// trimBrackets returns the elements of an array, without its brackets.
func trimBrackets(v []byte) []byte {
	if len(v) < 2 || v[0] != '[' {
		return nil
	}
	return bytes.TrimSpace(v[1 : len(v)-1])
}

// isStrictObject reports whether the parser of requests accepts v. The client could have
// written it.
func isStrictObject(v []byte) bool {
	var r jsonscan.Reader
	r.ResetLimited(v, false)
	isObject := r.PeekKind() == jsonscan.BeginObject
	r.Value()
	return isObject && r.CheckEnd() == nil && r.PortabilityError() == nil
}

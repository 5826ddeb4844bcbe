package gemini

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/pkg/jsonscan"
)

// maxCalls is the maximum number of tool calls in a response. Package normalize enforces it.
const maxCalls = 128

// addCallFragments collects the fragments of tool calls in a delta. Package normalize numbers
// the calls and sends id and name once.
func (c *streamedChoice) addCallFragments(m *messageFields) {
	for v := range jsonscan.Elements(m.calls) {
		index, _ := jsonscan.ParseInteger(jsonscan.Member(v, "index"))
		c.addFragment(index, v, jsonscan.Member(v, "function"))
	}
	if isObject(m.legacyCall) {
		c.addFragment(0, nil, m.legacyCall)
	}
}

func (c *streamedChoice) addFragment(index int64, v, function jsontext.Value) {
	if index < 0 || index >= maxCalls {
		return
	}
	for int64(len(c.calls)) <= index {
		c.calls = append(c.calls, functionCall{})
	}
	call := &c.calls[index]
	call.id += jsonscan.DecodeText(jsonscan.Member(v, "id"))
	call.name += jsonscan.DecodeText(jsonscan.Member(function, "name"))
	call.arguments = append(call.arguments, jsonscan.DecodeString(jsonscan.Member(function, "arguments"))...)
	if signature := jsonscan.Member(v, "extra_content", "google", "thought_signature"); !lacksText(signature) {
		call.signature = append([]byte(nil), jsonscan.DecodeString(signature)...)
	}
}

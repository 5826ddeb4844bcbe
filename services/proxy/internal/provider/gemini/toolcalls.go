package gemini

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/jsonscan"
)

// functionCall is a function call that the client sends back.
type functionCall struct {
	id, name  jsontext.Value
	arguments jsontext.Value
	signature []byte
}

// parseFunction reads the name and the arguments of a function call.
func parseFunction(v jsontext.Value) functionCall {
	return functionCall{name: jsonscan.Member(v, "name"), arguments: jsonscan.Member(v, "arguments")}
}

func (d *requestTranslator) addToolCall(m *message, v jsontext.Value, first bool) {
	f := parseFunction(jsonscan.Member(v, "function"))
	if lacksText(f.name) {
		d.reject(m.path+".tool_calls", "it supports function calls only")
		return
	}
	f.id, f.signature = jsonscan.Member(v, "id"), extraContentSignature(jsonscan.Member(v, "extra_content"))
	d.writeFunctionCall(f, first)
}

// writeFunctionCall writes a call. For the first call of a turn, newer models require the
// thought signature or the value skipSignatureCheck.
func (d *requestTranslator) writeFunctionCall(f functionCall, first bool) {
	id, idSignature := splitSignature(jsonscan.DecodeString(f.id))
	if d.functionNames == nil {
		d.functionNames = map[string]jsontext.Value{}
	}
	d.functionNames[string(id)] = f.name
	if d.signatures == omitSignatures {
		d.reportDroppedSignatures(f.signature, idSignature)
		f.signature, idSignature = nil, nil
	}
	if f.signature == nil {
		f.signature = idSignature
	}
	if f.signature == nil && first && d.wire.Reasoning != catalog.ThinkingBudget {
		f.signature = []byte(skipSignatureCheck)
	}
	o := d.startPart(speakerModel)
	o.open('{')
	d.pendingCalls++
	o.key("functionCall").open('{')
	writeCallID(o, id)
	o.key("name").raw(f.name)
	o.key("args").raw(toArgumentsObject(f.arguments))
	o.close('}')
	if f.signature != nil {
		o.key("thoughtSignature").quote(f.signature)
	}
	o.close('}')
}

// reportDroppedSignatures reports the fields whose thought signatures are omitted.
func (d *requestTranslator) reportDroppedSignatures(extraSignature, idSignature []byte) {
	if extraSignature != nil {
		d.reportDropped("messages[].tool_calls[].extra_content")
	}
	if idSignature != nil {
		d.reportDropped("messages[].tool_calls[].id")
	}
}

// toArgumentsObject returns the arguments as an object. Clients send arguments as a string.
// Arguments that are not a valid object become the member "arguments" of a new object.
func toArgumentsObject(v jsontext.Value) []byte {
	text := jsonscan.DecodeString(v)
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
	return wrapText("arguments", text)
}

func wrapText(name string, text []byte) []byte {
	var o jsonWriter
	o.open('{')
	o.key(name).quote(text)
	o.close('}')
	return o.buf
}

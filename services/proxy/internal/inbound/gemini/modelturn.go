package gemini

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/pkg/jsonscan"
	"github.com/signalbox/signalbox/pkg/requestbody"
)

// reasoningFormat marks Google's thought signatures in reasoning_details. The adapter for
// Google reads and writes the same name.
const reasoningFormat = "google-gemini-v1"

// modelTurn collects the members of an assistant message.
type modelTurn struct {
	content contentWriter
	// reasoning is the text of the thoughts, as a JSON string.
	reasoning jsontext.Value
	details   jsonWriter
	calls     jsonWriter
}

// addModelTurn writes one assistant message.
func (t *requestTranslator) addModelTurn(turn []content) {
	var m modelTurn
	t.startCalls()
	for i := range turn {
		for j := range turn[i].parts {
			t.addModelPart(&m, &turn[i].parts[j])
		}
	}
	if m.content.isEmpty() && m.calls.isEmpty() {
		m.content.addText(jsontext.Value(`""`)) // vendors accept null only beside tool calls
	}
	t.addMessage("assistant", &m.content, func(w *jsonWriter) {
		if len(m.reasoning) > 0 {
			w.key("reasoning_content").raw(m.reasoning)
		}
		w.array("reasoning_details", &m.details)
		w.array("tool_calls", &m.calls)
	})
}

func (t *requestTranslator) addModelPart(m *modelTurn, p *part) {
	switch {
	case p.call != nil:
		t.addCall(m, p)
		return
	case isTrue(p.thought):
		m.addReasoning(p.text)
	case jsonscan.IsString(p.text):
		if !lacksText(p.text) {
			m.content.addText(p.text)
		}
	case p.inlineData != nil, p.fileData != nil:
		t.reject(p.path, "the media are part of a response of Google")
	default:
		t.rejectPart(p)
	}
	if !t.restoreState(m, p.signature) && !lacksText(p.signature) {
		m.addGoogleSignature(p.signature)
	}
}

// addReasoning appends the text of a thought.
func (m *modelTurn) addReasoning(text jsontext.Value) {
	switch {
	case lacksText(text):
	case len(m.reasoning) == 0:
		m.reasoning = bytes.Clone(text)
	default:
		m.reasoning = append(m.reasoning[:len(m.reasoning)-1], text[1:]...)
	}
}

func (m *modelTurn) addGoogleSignature(signature jsontext.Value) {
	w := &m.details
	w.open('{')
	w.key("type").text("reasoning.encrypted")
	w.key("format").text(reasoningFormat)
	w.key("data").quote(standardBase64(nil, jsonscan.DecodeString(signature)))
	w.close("}")
}

// restoreState adds the reasoning that the gateway stored in a signature. It returns true if
// the signature contains nothing else that matters.
func (t *requestTranslator) restoreState(m *modelTurn, signature jsontext.Value) bool {
	if requestbody.IsPlaceholderSignature(signature) {
		return true
	}
	if !requestbody.IsGeminiState(signature) {
		return false
	}
	s, ok := decodeState(signature)
	if !ok {
		t.drop("contents[].parts[].thoughtSignature")
		return true
	}
	if len(m.reasoning) == 0 {
		m.addReasoning(s.reasoning)
	}
	for detail := range jsonscan.Elements(s.details) {
		if isObject(detail) {
			m.details.raw(detail)
		}
	}
	return true
}

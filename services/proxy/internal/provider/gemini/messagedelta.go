package gemini

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/pkg/jsonscan"
)

// messageDelta is the part of a message that one event or a complete response contains, in
// the OpenAI format.
type messageDelta struct {
	content, reasoning                               []byte
	toolCalls, reasoningDetails, images, annotations jsonWriter
}

func (s *messageDelta) isEmpty() bool {
	return len(s.content)+len(s.reasoning) == 0 &&
		s.toolCalls.isEmpty() && s.reasoningDetails.isEmpty() && s.images.isEmpty() && s.annotations.isEmpty()
}

// responsePart is one part of Google's content, as raw JSON.
type responsePart struct {
	text, thought, call, signature, inline, code, result jsontext.Value
}

func parseResponsePart(v jsontext.Value) responsePart {
	var p responsePart
	readFields(v, field{"text", &p.text}, field{"thought", &p.thought}, field{"thoughtSignature", &p.signature},
		field{"functionCall", &p.call}, field{"inlineData", &p.inline},
		field{"executableCode", &p.code}, field{"codeExecutionResult", &p.result})
	return p
}

func (t *responseTranslator) addParts(c *choiceState, v jsontext.Value, s *messageDelta) {
	for v := range jsonscan.Elements(v) {
		p := parseResponsePart(v)
		switch {
		case isObject(p.call):
			t.addCallPart(c, p, s)
			continue
		case isTrue(p.thought):
			s.reasoning = joinStrings(s.reasoning, p.text)
		case jsonscan.IsString(p.text):
			s.content = joinStrings(s.content, p.text)
		case isObject(p.inline):
			s.addImage(p.inline)
		case isObject(p.code):
			s.content = joinStrings(s.content, fencedCode(p.code, "code"))
		case isObject(p.result):
			s.content = joinStrings(s.content, fencedCode(p.result, "output"))
		}
		s.addSignature(p.signature)
	}
}

// joinStrings appends the JSON string v to the JSON string text without decoding either.
func joinStrings(text []byte, v jsontext.Value) []byte {
	switch {
	case lacksText(v):
		return text
	case len(text) == 0:
		return bytes.Clone(v)
	}
	return append(text[:len(text)-1], v[1:]...)
}

// addSignature adds a thought signature, so that the client can send it back.
func (s *messageDelta) addSignature(v jsontext.Value) {
	if lacksText(v) {
		return
	}
	o := &s.reasoningDetails
	o.open('{')
	o.key("type").literal(`"reasoning.encrypted"`)
	o.key("format").literal(`"` + reasoningFormat + `"`)
	o.key("data").raw(v)
	o.close('}')
}

func (s *messageDelta) addImage(v jsontext.Value) {
	var kind, data jsontext.Value
	readFields(v, field{"mimeType", &kind}, field{"data", &data})
	o := &s.images
	o.open('{')
	o.key("type").literal(`"image_url"`)
	o.key("image_url").open('{')
	o.key("url").quote(bytes.Join([][]byte{[]byte("data:"), jsonscan.DecodeString(kind), []byte(";base64,"), jsonscan.DecodeString(data)}, nil))
	o.buf = append(o.buf, "}}"...)
}

// fencedCode returns a fenced block with the code that Google executed, or with its
// output. member is the name of the member that contains the text.
func fencedCode(v jsontext.Value, member string) jsontext.Value {
	text := jsonscan.Member(v, member)
	if lacksText(text) {
		return nil
	}
	return append(append([]byte(`"\n`+"```"+`\n`), text[1:len(text)-1]...), `\n`+"```"+`\n"`...)
}

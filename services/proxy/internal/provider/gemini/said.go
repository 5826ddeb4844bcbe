package gemini

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/services/proxy/internal/jsonscan"
)

// said is what one event has of a message, in the form of our clients.
type said struct {
	content, reasoning             []byte
	calls, details, images, quotes out
}

func (s *said) empty() bool {
	return len(s.content)+len(s.reasoning) == 0 &&
		s.calls.empty() && s.details.empty() && s.images.empty() && s.quotes.empty()
}

// part is one of Google's.
type part struct {
	text, call, sign, inline, code, result jsontext.Value
	thought                                bool
}

func readPart(v jsontext.Value) part {
	var p part
	for name, v := range jsonscan.Members(v) {
		switch string(name) {
		case "text":
			p.text = v
		case "thought":
			p.thought = isTrue(v)
		case "thoughtSignature":
			p.sign = v
		case "functionCall":
			p.call = v
		case "inlineData":
			p.inline = v
		case "executableCode":
			p.code = v
		case "codeExecutionResult":
			p.result = v
		}
	}
	return p
}

func (t *translator) parts(c *candidate, v jsontext.Value, s *said) {
	for v := range jsonscan.Elements(v) {
		p := readPart(v)
		switch {
		case isObject(p.call):
			t.call(c, p, s)
			continue
		case p.thought:
			s.reasoning = joined(s.reasoning, p.text)
		case isText(p.text):
			s.content = joined(s.content, p.text)
		case isObject(p.inline):
			s.image(p.inline)
		case isObject(p.code):
			s.content = joined(s.content, fenced(p.code, "code"))
		case isObject(p.result):
			s.content = joined(s.content, fenced(p.result, "output"))
		}
		s.sign(p.sign)
	}
}

// joined goes on with a text, as written.
func joined(text []byte, v jsontext.Value) []byte {
	switch {
	case isBlank(v):
		return text
	case len(text) == 0:
		return bytes.Clone(v)
	}
	return append(text[:len(text)-1], v[1:]...)
}

// sign keeps the signature of what was said, for the client to give back.
func (s *said) sign(v jsontext.Value) {
	if isBlank(v) {
		return
	}
	o := &s.details
	o.open('{')
	o.key("type").literal(`"reasoning.encrypted"`)
	o.key("format").literal(`"` + replayFormat + `"`)
	o.key("data").raw(v)
	o.end('}')
}

func (s *said) image(v jsontext.Value) {
	var kind, data []byte
	for name, v := range jsonscan.Members(v) {
		switch string(name) {
		case "mimeType":
			kind = jsonscan.Text(v)
		case "data":
			data = jsonscan.Text(v)
		}
	}
	o := &s.images
	o.open('{')
	o.key("type").literal(`"image_url"`)
	o.key("image_url").open('{')
	o.key("url").quote(bytes.Join([][]byte{[]byte("data:"), kind, []byte(";base64,"), data}, nil))
	o.b = append(o.b, "}}"...)
}

// fenced is code that Google ran, or what it gave, as a block of text.
func fenced(v jsontext.Value, member string) jsontext.Value {
	for name, v := range jsonscan.Members(v) {
		if string(name) == member && !isBlank(v) {
			return append(append([]byte(`"\n`+"```"+`\n`), v[1:len(v)-1]...), `\n`+"```"+`\n"`...)
		}
	}
	return nil
}

package gemini

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/pkg/jsonscan"
	"github.com/signalbox/signalbox/pkg/requestbody"
)

// placeholderSignature is the value that Google documents for function calls of other models.
const placeholderSignature = `"skip_thought_signature_validator"`

// StripState returns the request without the thought signatures that the gateway wrote.
// Function calls get a placeholder that Google accepts.
func (p Protocol) StripState(r *requestbody.Request) (*requestbody.Request, error) {
	return requestbody.ParseGenerateContent(stripState(r), r.Model, r.Stream)
}

func stripState(r *requestbody.Request) []byte {
	contents := r.FindMember("contents")
	if contents == nil || !r.HasGatewayState {
		return r.Body
	}
	v := r.MemberValue(contents)
	s := stateStripper{src: r.Body, base: int(contents.End) - len(v), out: make([]byte, 0, len(r.Body))}
	s.Reset(v, true)
	s.forOneOrMany(func() {
		for s.Enter(jsonscan.BeginObject); s.NextMember(); {
			if string(s.Name()) == "parts" {
				s.forOneOrMany(s.stripPart)
			} else {
				s.Value()
			}
		}
	})
	return append(s.out, r.Body[s.copied:]...)
}

// stateStripper copies a body and leaves out signatures.
type stateStripper struct {
	jsonscan.Reader
	src, out []byte
	// base is the offset of the contents in src. copied is the offset up to which src is copied.
	base, copied int
}

// forOneOrMany calls f before each element of an array, or once before a single object.
func (s *stateStripper) forOneOrMany(f func()) {
	if !s.Enter(jsonscan.BeginArray) {
		f()
		return
	}
	for s.NextElement() {
		f()
	}
}

// stripPart replaces the part that follows, if it has a signature of the gateway.
func (s *stateStripper) stripPart() {
	v := s.Value()
	var signature, call jsontext.Value
	readFields(v, nil, field{"thoughtSignature", &signature}, field{"functionCall", &call})
	if !requestbody.IsGeminiState(signature) {
		return
	}
	end := s.base + s.Offset()
	s.out = append(s.out, s.src[s.copied:end-len(v)]...)
	s.out = append(s.out, stripSignature(v, call != nil)...)
	s.copied = end
}

// stripSignature returns a part without its signature, or with the placeholder.
func stripSignature(part jsontext.Value, isCall bool) []byte {
	var w jsonWriter
	w.open('{')
	for name, v := range jsonscan.Members(part) {
		if camelCase(name) == "thoughtSignature" {
			if !isCall {
				continue
			}
			v = jsontext.Value(placeholderSignature)
		}
		w.comma()
		w.buf = append(jsonscan.AppendQuoted(w.buf, name), ':')
		w.raw(v)
	}
	if string(w.buf) == "{" {
		w.key("text").text("") // Google rejects parts without data
	}
	w.close("}")
	return w.buf
}

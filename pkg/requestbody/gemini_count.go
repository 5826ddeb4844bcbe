package requestbody

import (
	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/jsonscan"
)

// nestedRequest is the member of a countTokens body that contains a whole request.
const nestedRequest = "generateContentRequest"

// ParseCountTokens parses the body of a countTokens call. The body has the contents, or a
// whole generateContent request. It fails like ParseChat.
func ParseCountTokens(body []byte, model string) (*Request, error) {
	p := newParser(catalog.Chat, body)
	defer p.release()
	p.startGemini(model)
	p.readBody((*parser).readCountTokensMember)
	p.finishGenerateContent()
	return p.buildRequest()
}

func (p *parser) readCountTokensMember() {
	name := p.Name()
	isNested := string(name) == nestedRequest || isSnakeCaseOf(name, nestedRequest)
	switch {
	case p.gemini.prefix != "" || isNested && p.hasPayload:
		p.SetError(errInvalidParam(string(name), "must not be combined with other members: send contents or "+nestedRequest))
	case isNested:
		p.readNestedRequest(string(name))
	default:
		p.readGenerateContentMember()
	}
}

func (p *parser) readNestedRequest(name string) {
	if p.skipNull() {
		return
	}
	if !p.Enter(jsonscan.BeginObject) {
		p.SetError(errInvalidParam(name, "must be an object"))
		return
	}
	p.gemini.prefix, p.gemini.seen = name+".", 0
	for p.NextMember() {
		p.readGenerateContentMember()
	}
}

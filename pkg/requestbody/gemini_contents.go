package requestbody

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/pkg/jsonscan"
)

var contentNames = []string{"role", "parts"}

// readGeminiContents reads the conversation.
func (p *parser) readGeminiContents() {
	name := p.Name()
	if p.skipNull() {
		p.hasPayload = false
		return
	}
	before := p.counts.messages
	p.req.opening.from = p.valueStart()
	p.gemini.at.holder = name
	if !p.readOneOrMany((*parser).readGeminiContent) {
		p.SetError(errInvalidParam(p.gemini.prefix+string(name), "must be an array of contents"))
		return
	}
	if p.counts.messages == before {
		p.SetError(errInvalidParam(p.gemini.prefix+string(name), "must not be empty"))
	}
}

// readSystemInstruction reads the system instruction. Google ignores its role.
func (p *parser) readSystemInstruction() {
	name := p.Name()
	if p.skipNull() {
		return
	}
	p.gemini.at = geminiPosition{holder: name, content: noIndex, part: noIndex}
	if p.PeekKind() != jsonscan.BeginObject {
		p.SetError(errInvalidParam(p.gemini.prefix+string(name), "must be an object with parts"))
		return
	}
	p.readContentMembers()
	p.counts.messages++
	p.req.Traits |= HasSystem
	if len(p.gemini.newCalls)+len(p.gemini.newResponses) > 0 {
		p.failInContent("", "must not contain function calls")
	}
	p.resetContent()
}

// contentFields are the values of a content that matter after its parts are read.
type contentFields struct {
	role  jsontext.Value
	parts span
	// hasInput is set if a part is not a function response.
	hasInput bool
}

func (p *parser) readGeminiContent(index int) {
	p.gemini.at.content = index
	before := p.counts.textBytes
	c := p.readContentMembers()
	p.counts.messages++
	if p.Err() == nil {
		p.applyRole(c, p.counts.textBytes-before)
	}
	p.resetContent()
}

// resetContent forgets the calls and responses of one content.
func (p *parser) resetContent() {
	p.gemini.newCalls, p.gemini.newResponses = p.gemini.newCalls[:0], p.gemini.newResponses[:0]
	p.gemini.mediaCount = 0
}

func (p *parser) readContentMembers() (c contentFields) {
	if !p.Enter(jsonscan.BeginObject) {
		p.failInContent("", "must be an object")
		return c
	}
	var seen geminiSeen
	hasParts := false
	for p.NextMember() {
		switch p.geminiName(contentNames, &seen, "") {
		case "role":
			c.role = p.Value()
		case "parts":
			hasParts = true
			c.parts, c.hasInput = p.readGeminiParts()
		default:
			p.readUnknownGemini(contentNames, "")
		}
	}
	if !hasParts {
		p.failInContent(".parts", "is missing")
	}
	return c
}

// valueStart returns the offset at which the value of the current member starts.
func (p *parser) valueStart() int {
	at, body := p.Offset(), p.Source()
	for at < len(body) && strings.IndexByte(": \t\r\n", body[at]) >= 0 {
		at++
	}
	return at
}

func (p *parser) readGeminiParts() (at span, hasInput bool) {
	start := p.valueStart()
	p.gemini.partCount = 0
	switch {
	case !p.readOneOrMany((*parser).readGeminiPart):
		p.failInContent(".parts", "must be an array of objects")
	case p.gemini.partCount == 0:
		p.failInContent(".parts", "must not be empty")
	}
	return span{start, p.Offset()}, p.gemini.partCount > len(p.gemini.newResponses)
}

// applyRole interprets a content after all of its members are read, because the role may
// come after the parts. textBytes is the length of its text.
func (p *parser) applyRole(c contentFields, textBytes int) {
	switch string(c.role) {
	case `"model"`:
		p.applyModelTurn()
		return
	case `"user"`, `"function"`, `"tool"`, "", "null", `""`:
	default:
		p.failInContent(".role", `must be "user", "model" or "function"`)
	}
	p.gemini.afterModel = false
	for i := range p.gemini.newCalls {
		p.gemini.at.part = p.gemini.newCalls[i].part
		p.failInPart(".functionCall", `must be in a content with the role "model"`)
	}
	p.matchResponses()
	p.req.EndsWithToolResult = false
	if len(p.gemini.newResponses) > 0 {
		p.addToolResult()
	}
	if !c.hasInput {
		return
	}
	p.counts.turns++
	p.counts.userBytes += textBytes
	p.req.lastUserContent = c.parts
	if p.counts.turns == 1 {
		p.req.opening.to = c.parts.to
	}
}

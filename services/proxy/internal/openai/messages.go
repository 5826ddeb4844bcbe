package openai

import (
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/pkg/tokens"
)

var (
	messageMemberNames = []string{"role", "content", "tool_calls"}
	partMemberNames    = []string{"type", "text", "image_url", "input_audio", "file"}
)

func (p *parser) readMessages() {
	p.hasPayload = true
	if !p.enter(jsontext.KindBeginArray) {
		p.fail(errInvalidParam("messages", "must be an array"))
		return
	}
	p.req.edits.opening.from = p.offset()
	for p.nextElement() {
		p.readMessage()
		p.counts.messages++
	}
	if p.counts.messages == 0 {
		p.fail(errInvalidParam("messages", "must not be empty"))
	}
}

func (p *parser) readMessage() {
	if !p.enter(jsontext.KindBeginObject) {
		p.fail(p.errInMessage("", "must be an object"))
		return
	}
	var role jsontext.Value
	var content span
	before := p.counts.textBytes
	for p.nextMember() {
		switch string(p.name) {
		case "role":
			role = p.readValue()
		case "content":
			content = p.readContent()
		case "tool_calls":
			p.readToolCalls()
		default:
			p.req.traits |= hasOtherMembers
			overhead := p.tokenScanner.EscapeOverhead()
			v := p.readUnknownMember(messageMemberNames)
			p.counts.textBytes += len(v) - (p.tokenScanner.EscapeOverhead() - overhead)
			p.counts.textTokens += tokens.EstimateJSON(v)
		}
	}
	if p.err == nil && (!isString(role) || len(role) == 2) {
		p.fail(p.errInMessage(".role", "must be a non-empty string"))
	}
	switch string(role) {
	case `"user"`:
		p.counts.turns++
		p.counts.userBytes += p.counts.textBytes - before
		p.req.edits.lastUserContent = content
		if p.counts.turns == 1 {
			p.req.edits.opening.to = content.to
		}
	case `"assistant"`, `"tool"`:
	case `"system"`:
		p.req.traits |= hasSystem
	default:
		p.req.traits |= hasDeveloper | hasSystem
	}
}

// readContent reads a string, null or an array of parts, and returns its span.
func (p *parser) readContent() span {
	switch p.peekKind() {
	case jsontext.KindBeginArray:
		p.req.traits |= hasContentParts
		p.readToken()
		start := p.offset() - 1
		for p.nextElement() {
			p.readPart()
		}
		return span{start, p.offset()}
	case jsontext.KindString, jsontext.KindNull:
		v, n := p.readMeasured()
		if isString(v) {
			p.counts.textBytes += n - 2
			p.counts.textTokens += tokens.EstimateJSON(stripQuotes(v))
		}
		return p.lastValueSpan(v)
	}
	p.fail(p.errInMessage(".content", "must be a string, null or an array of parts"))
	return span{}
}

// readToolCalls reads null or an array of objects. The contents of the objects are
// not checked.
func (p *parser) readToolCalls() {
	if p.skipNull() {
		return
	}
	p.req.traits |= hasToolCalls
	before := p.markText()
	if !p.enter(jsontext.KindBeginArray) {
		p.fail(p.errInMessage(".tool_calls", "must be an array"))
		return
	}
	for p.nextElement() {
		if v := p.readValue(); p.err == nil && v[0] != '{' {
			p.fail(p.errInMessage(".tool_calls", "must be an array of objects"))
		}
	}
	p.countSince(before)
}

// readPart interprets the members of a part and ignores its type, because only the
// members hold data.
func (p *parser) readPart() {
	if !p.enter(jsontext.KindBeginObject) {
		p.fail(p.errInMessage(".content", "must be an array of objects"))
		return
	}
	for p.nextMember() {
		switch string(p.name) {
		case "text", "refusal":
			v, n := p.readMeasured()
			p.counts.textBytes += n
			p.counts.textTokens += tokens.EstimateJSON(stripQuotes(v))
		case "image_url":
			p.counts.images++
			p.readImage()
		case "input_audio":
			p.counts.audio++
			p.readValue()
		case "file":
			p.counts.files++
			p.readValue()
		default:
			p.readUnknownMember(partMemberNames)
		}
	}
}

// readImage reads an object with a URL. Some clients send only the URL as a string.
func (p *parser) readImage() {
	var url jsontext.Value
	var detail string
	if !p.enter(jsontext.KindBeginObject) {
		url = p.readValue()
	} else {
		for p.nextMember() {
			switch string(p.name) {
			case "url":
				url = p.readValue()
			case "detail":
				detail = decodeString(p.readValue())
			default:
				p.readValue()
			}
		}
	}
	p.counts.otherTokens += tokens.EstimateImage(stripQuotes(url), detail)
}

func (p *parser) errInMessage(member, text string) error {
	return errInvalidParam("messages["+strconv.Itoa(p.counts.messages)+"]"+member, text)
}

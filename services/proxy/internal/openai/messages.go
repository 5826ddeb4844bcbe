package openai

import (
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/services/proxy/internal/tokens"
)

var (
	messageNames = []string{"role", "content", "tool_calls"}
	partNames    = []string{"type", "text", "image_url", "input_audio", "file"}
)

func (p *parser) messages() {
	p.hasMain = true
	if !p.open(jsontext.KindBeginArray) {
		p.fail(invalid("messages", "must be an array"))
		return
	}
	p.req.edits.opening.from = p.offset()
	for p.element() {
		p.message()
		p.tally.messages++
	}
	if p.tally.messages == 0 {
		p.fail(invalid("messages", "must not be empty"))
	}
}

func (p *parser) message() {
	if !p.open(jsontext.KindBeginObject) {
		p.fail(p.inMessage("", "must be an object"))
		return
	}
	var role jsontext.Value
	var content span
	before := p.tally.text
	for p.member() {
		switch string(p.name) {
		case "role":
			role = p.value()
		case "content":
			content = p.content()
		case "tool_calls":
			p.toolCalls()
		default:
			p.req.shape |= hasOthers
			saved := p.text.Saved()
			v := p.unknown(messageNames)
			p.tally.text += len(v) - (p.text.Saved() - saved)
			p.tally.weight += tokens.JSON(v)
		}
	}
	if p.err == nil && (!isText(role) || len(role) == 2) {
		p.fail(p.inMessage(".role", "must be a non-empty string"))
	}
	switch string(role) {
	case `"user"`:
		p.tally.turns++
		p.tally.user += p.tally.text - before
		p.req.edits.lastUser = content
		if p.tally.turns == 1 {
			p.req.edits.opening.to = content.to
		}
	case `"assistant"`, `"tool"`:
	case `"system"`:
		p.req.shape |= hasSystem
	default:
		p.req.shape |= hasDeveloper | hasSystem
	}
}

// content is a string, null, or an array of parts.
func (p *parser) content() span {
	switch p.kind() {
	case jsontext.KindBeginArray:
		p.req.shape |= hasParts
		p.token()
		start := p.offset() - 1
		for p.element() {
			p.part()
		}
		return span{start, p.offset()}
	case jsontext.KindString, jsontext.KindNull:
		v, n := p.measured()
		if isText(v) {
			p.tally.text += n - 2
			p.tally.weight += tokens.JSON(inner(v))
		}
		return p.spanOf(v)
	}
	p.fail(p.inMessage(".content", "must be a string, null or an array of parts"))
	return span{}
}

// toolCalls is null or an array of objects, which are the upstream's affair.
func (p *parser) toolCalls() {
	if p.null() {
		return
	}
	p.req.shape |= hasCalls
	before := p.place()
	if !p.open(jsontext.KindBeginArray) {
		p.fail(p.inMessage(".tool_calls", "must be an array"))
		return
	}
	for p.element() {
		if v := p.value(); p.err == nil && v[0] != '{' {
			p.fail(p.inMessage(".tool_calls", "must have objects as its elements"))
		}
	}
	p.weigh(before)
}

// part is told by the member it has, not by its type: that is where the data is.
func (p *parser) part() {
	if !p.open(jsontext.KindBeginObject) {
		p.fail(p.inMessage(".content", "must have objects as its parts"))
		return
	}
	for p.member() {
		switch string(p.name) {
		case "text", "refusal":
			v, n := p.measured()
			p.tally.text += n
			p.tally.weight += tokens.JSON(inner(v))
		case "image_url":
			p.tally.images++
			p.image()
		case "input_audio":
			p.tally.audio++
			p.value()
		case "file":
			p.tally.files++
			p.value()
		default:
			p.unknown(partNames)
		}
	}
}

// image is an object with an address, or, with some clients, the address alone.
func (p *parser) image() {
	var url jsontext.Value
	var detail string
	if !p.open(jsontext.KindBeginObject) {
		url = p.value()
	} else {
		for p.member() {
			switch string(p.name) {
			case "url":
				url = p.value()
			case "detail":
				detail = text(p.value())
			default:
				p.value()
			}
		}
	}
	p.tally.tokens += tokens.Image(inner(url), detail)
}

func (p *parser) inMessage(member, text string) error {
	return invalid("messages["+strconv.Itoa(p.tally.messages)+"]"+member, text)
}

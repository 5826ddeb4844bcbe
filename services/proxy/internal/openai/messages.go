package openai

import (
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
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
			saved := p.text.Saved()
			v := p.unknown(messageNames)
			p.tally.text += len(v) - (p.text.Saved() - saved)
		}
	}
	if p.err == nil && (!isText(role) || len(role) == 2) {
		p.fail(p.inMessage(".role", "must be a non-empty string"))
	}
	if string(role) == `"user"` {
		p.tally.turns++
		p.tally.user += p.tally.text - before
		p.req.edits.lastUser = content
	}
}

// content is a string, null, or an array of parts.
func (p *parser) content() span {
	switch p.kind() {
	case jsontext.KindBeginArray:
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
	before := p.mark()
	if !p.open(jsontext.KindBeginArray) {
		p.fail(p.inMessage(".tool_calls", "must be an array"))
		return
	}
	for p.element() {
		if v := p.value(); p.err == nil && v[0] != '{' {
			p.fail(p.inMessage(".tool_calls", "must have objects as its elements"))
		}
	}
	p.tally.text += p.mark() - before
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
			_, n := p.measured()
			p.tally.text += n
		case "image_url":
			p.tally.images++
			p.value()
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

func (p *parser) inMessage(member, text string) error {
	return invalid("messages["+strconv.Itoa(p.tally.messages)+"]"+member, text)
}

package requestbody

import (
	"bytes"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/pkg/jsonscan"
	"github.com/signalbox/signalbox/pkg/tokens"
)

var (
	messageMemberNames = []string{"role", "content", "tool_calls"}
	partMemberNames    = []string{"type", "text", "image_url", "input_audio", "file"}
)

func (p *parser) readMessages() {
	p.hasPayload = true
	if !p.Enter(jsonscan.BeginArray) {
		p.SetError(errInvalidParam("messages", "must be an array"))
		return
	}
	p.req.opening.from = p.Offset()
	for p.NextElement() {
		p.readMessage()
		p.counts.messages++
	}
	if p.counts.messages == 0 {
		p.SetError(errInvalidParam("messages", "must not be empty"))
	}
}

func (p *parser) readMessage() {
	if !p.Enter(jsonscan.BeginObject) {
		p.SetError(p.errInMessage("", "must be an object"))
		return
	}
	var role jsontext.Value
	var content span
	before := p.counts.textBytes
	for p.NextMember() {
		switch string(p.Name()) {
		case "role":
			role = p.Value()
		case "content":
			content = p.readContent()
		case "tool_calls":
			p.readToolCalls()
		default:
			p.req.Traits |= HasOtherMembers
			p.noteCacheMark()
			overhead := p.EscapeOverhead()
			v := p.readUnknownMember(messageMemberNames)
			p.noteSignature(v)
			p.counts.textBytes += len(v) - (p.EscapeOverhead() - overhead)
			p.counts.textTokens += p.estimateText(v)
		}
	}
	if p.Err() == nil && (!jsonscan.IsString(role) || len(role) == 2) {
		p.SetError(p.errInMessage(".role", "must be a non-empty string"))
	}
	switch string(role) {
	case `"user"`:
		p.req.EndsWithToolResult = false
		p.counts.turns++
		p.counts.userBytes += p.counts.textBytes - before
		p.req.lastUserContent = content
		if p.counts.turns == 1 {
			p.req.opening.to = content.to
		}
	case `"assistant"`:
		p.addModelMessage()
	case `"tool"`:
		p.addToolResult()
	case `"system"`:
		p.req.Traits |= HasSystem
	case `"function"`:
		p.addToolResult()
		fallthrough
	default:
		p.req.Traits |= HasDeveloper | HasSystem
	}
}

// readContent reads a string, null or an array of parts, and returns its span.
func (p *parser) readContent() span {
	switch p.PeekKind() {
	case jsonscan.BeginArray:
		p.req.Traits |= HasContentParts
		p.Enter(jsonscan.BeginArray)
		start := p.Offset() - 1
		for p.NextElement() {
			p.readPart()
		}
		return span{start, p.Offset()}
	case jsonscan.String, jsonscan.Null:
		v, n := p.readMeasured()
		if jsonscan.IsString(v) {
			p.counts.textBytes += n - 2
			p.counts.textTokens += p.estimateText(stripQuotes(v))
		}
		return p.lastValueSpan(v)
	}
	p.SetError(p.errInMessage(".content", "must be a string, null or an array of parts"))
	return span{}
}

// readToolCalls reads null or an array of objects. The contents of the objects are
// not checked.
func (p *parser) readToolCalls() {
	if p.skipNull() {
		return
	}
	p.req.Traits |= HasToolCalls
	before := p.markText()
	if !p.Enter(jsonscan.BeginArray) {
		p.SetError(p.errInMessage(".tool_calls", "must be an array"))
		return
	}
	for p.NextElement() {
		v := p.Value()
		if p.Err() == nil && v[0] != '{' {
			p.SetError(p.errInMessage(".tool_calls", "must be an array of objects"))
		}
		p.noteSignature(v)
	}
	p.countSince(before)
}

// noteSignature looks for a signature in a value that holds ids of tool calls. The contents of
// messages hold none, and a search through the whole body would take longer than all edits.
func (p *parser) noteSignature(v jsontext.Value) {
	if bytes.Contains(v, []byte(SignatureSeparator)) {
		p.req.Traits |= MayHaveSignatures
	}
}

// readPart interprets the members of a part and ignores its type, because only the
// members hold data.
func (p *parser) readPart() {
	if !p.Enter(jsonscan.BeginObject) {
		p.SetError(p.errInMessage(".content", "must be an array of objects"))
		return
	}
	for p.NextMember() {
		switch string(p.Name()) {
		case "text", "refusal":
			v, n := p.readMeasured()
			p.counts.textBytes += n
			p.counts.textTokens += p.estimateText(stripQuotes(v))
		case "image_url":
			p.counts.images++
			p.readImage()
		case "input_audio":
			p.counts.audio++
			p.Value()
		case "file":
			p.counts.files++
			p.forbidReferences(p.Value())
		case "source": // of a block in Anthropic's format
			p.forbidReferences(p.Value())
		default:
			p.noteCacheMark()
			p.readUnknownMember(partMemberNames)
		}
	}
}

// readImage reads an object with a URL. Some clients send only the URL as a string.
func (p *parser) readImage() {
	var url jsontext.Value
	var detail string
	if !p.Enter(jsonscan.BeginObject) {
		url = p.Value()
	} else {
		for p.NextMember() {
			switch string(p.Name()) {
			case "url":
				url = p.Value()
			case "detail":
				detail = jsonscan.DecodeText(p.Value())
			default:
				p.Value()
			}
		}
	}
	p.counts.otherTokens += tokens.EstimateImage(stripQuotes(url), detail)
}

func (p *parser) errInMessage(member, text string) error {
	return errInvalidParam("messages["+strconv.Itoa(p.counts.messages)+"]"+member, text)
}

// lastValueSpan returns the span of the value that was read last.
func (p *parser) lastValueSpan(v jsontext.Value) span {
	end := p.Offset()
	return span{end - len(v), end}
}

// span is a range of offsets in the body.
type span struct{ from, to int }

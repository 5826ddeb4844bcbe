package openai

import (
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/pkg/tokens"
)

func (p *parser) readTools(name []byte) {
	if p.skipNull() {
		return
	}
	start := p.markText()
	if !p.enter(jsontext.KindBeginArray) {
		p.fail(errInvalidParam(string(name), "must be an array"))
		return
	}
	for p.nextElement() {
		if v := p.readValue(); p.err == nil && v[0] != '{' {
			p.fail(errInvalidParam(string(name)+"["+strconv.Itoa(p.counts.tools)+"]", "must be an object"))
		}
		p.counts.tools++
	}
	p.countSince(start)
}

// stripQuotes returns the content of a JSON string, still escaped. It returns any
// other value unchanged.
func stripQuotes(v jsontext.Value) []byte {
	if isString(v) {
		return v[1 : len(v)-1]
	}
	return v
}

// textMark marks the start of JSON that the model reads as text. It holds the
// offset, and the escape overhead before it: the bytes that unescaping removes.
type textMark struct{ offset, escapeOverhead int }

func (p *parser) markText() textMark { return textMark{p.offset(), p.tokenScanner.EscapeOverhead()} }

// countSince counts the text read since the mark. Each escape counts with the
// length of the character that it stands for.
func (p *parser) countSince(since textMark) {
	p.counts.textBytes += p.offset() - since.offset - (p.tokenScanner.EscapeOverhead() - since.escapeOverhead)
	if p.err == nil {
		p.counts.textTokens += tokens.EstimateJSON(p.src[since.offset:p.offset()])
	}
}

// readMeasured reads a value. n is the length of the value with escapes decoded.
func (p *parser) readMeasured() (v jsontext.Value, n int) {
	overhead := p.tokenScanner.EscapeOverhead()
	v = p.readValue()
	return v, len(v) - (p.tokenScanner.EscapeOverhead() - overhead)
}

func (p *parser) readResponseFormat() {
	if p.skipNull() {
		return
	}
	start := p.markText()
	if !p.enter(jsontext.KindBeginObject) {
		p.fail(errInvalidParam("response_format", "must be an object"))
		return
	}
	for p.nextMember() {
		if string(p.name) == "type" {
			p.setFormatType(p.readValue())
			continue
		}
		p.readUnknownMember([]string{"type"})
	}
	p.countSince(start)
}

func (p *parser) setFormatType(v jsontext.Value) {
	if p.err == nil && !isNull(v) && !isString(v) {
		p.fail(errInvalidParam("response_format.type", "must be a string"))
	}
	p.counts.responseFormat = decodeString(v)
}

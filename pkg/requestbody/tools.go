package requestbody

import (
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/pkg/jsonscan"
)

func (p *parser) readTools(name []byte) {
	if p.skipNull() {
		return
	}
	start := p.markText()
	if !p.Enter(jsonscan.BeginArray) {
		p.SetError(errInvalidParam(string(name), "must be an array"))
		return
	}
	for p.NextElement() {
		if v := p.Value(); p.Err() == nil && v[0] != '{' {
			p.SetError(errInvalidParam(string(name)+"["+strconv.Itoa(p.counts.tools)+"]", "must be an object"))
		}
		p.counts.tools++
	}
	p.countSince(start)
}

// stripQuotes returns the content of a JSON string, still escaped. It returns any
// other value unchanged.
func stripQuotes(v jsontext.Value) []byte {
	if jsonscan.IsString(v) {
		return v[1 : len(v)-1]
	}
	return v
}

// textMark marks the start of JSON that the model reads as text. It holds the
// offset, and the escape overhead before it: the bytes that unescaping removes.
type textMark struct{ offset, escapeOverhead int }

func (p *parser) markText() textMark { return textMark{p.Offset(), p.EscapeOverhead()} }

// countSince counts the text read since the mark. Each escape counts with the
// length of the character that it stands for.
func (p *parser) countSince(since textMark) {
	p.counts.textBytes += p.Offset() - since.offset - (p.EscapeOverhead() - since.escapeOverhead)
	if p.Err() == nil {
		p.counts.textTokens += p.estimateText(p.Source()[since.offset:p.Offset()])
	}
}

// readMeasured reads a value. n is the length of the value with escapes decoded.
func (p *parser) readMeasured() (v jsontext.Value, n int) {
	overhead := p.EscapeOverhead()
	v = p.Value()
	return v, len(v) - (p.EscapeOverhead() - overhead)
}

func (p *parser) readResponseFormat() {
	if p.skipNull() {
		return
	}
	start := p.markText()
	if !p.Enter(jsonscan.BeginObject) {
		p.SetError(errInvalidParam("response_format", "must be an object"))
		return
	}
	for p.NextMember() {
		if string(p.Name()) == "type" {
			p.setFormatType(p.Value())
			continue
		}
		p.readUnknownMember([]string{"type"})
	}
	p.countSince(start)
}

func (p *parser) setFormatType(v jsontext.Value) {
	if p.Err() == nil && !jsonscan.IsNull(v) && !jsonscan.IsString(v) {
		p.SetError(errInvalidParam("response_format.type", "must be a string"))
	}
	p.counts.responseFormat = jsonscan.DecodeText(v)
}

package openai

import (
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

func (p *parser) tools(name []byte) {
	if p.null() {
		return
	}
	start := p.mark()
	if !p.open(jsontext.KindBeginArray) {
		p.fail(invalid(string(name), "must be an array"))
		return
	}
	for p.element() {
		if v := p.value(); p.err == nil && v[0] != '{' {
			p.fail(invalid(string(name)+"["+strconv.Itoa(p.tally.tools)+"]", "must be an object"))
		}
		p.tally.tools++
	}
	p.tally.text += p.mark() - start
}

// mark is how much has been read, escapes counted as what they stand for: the
// difference of two is the length of the text between them.
func (p *parser) mark() int { return p.offset() - p.text.Saved() }

// measured reads a value, and its length with escapes counted so.
func (p *parser) measured() (v jsontext.Value, n int) {
	saved := p.text.Saved()
	v = p.value()
	return v, len(v) - (p.text.Saved() - saved)
}

func (p *parser) responseFormat() {
	if p.null() {
		return
	}
	start := p.mark()
	if !p.open(jsontext.KindBeginObject) {
		p.fail(invalid("response_format", "must be an object"))
		return
	}
	for p.member() {
		if string(p.name) == "type" {
			p.formatType(p.value())
			continue
		}
		p.unknown([]string{"type"})
	}
	p.tally.text += p.mark() - start
}

func (p *parser) formatType(v jsontext.Value) {
	if p.err == nil && !isNull(v) && !isText(v) {
		p.fail(invalid("response_format.type", "must be a string"))
	}
	p.tally.format = text(v)
}

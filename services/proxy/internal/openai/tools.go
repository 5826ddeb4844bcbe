package openai

import (
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/services/proxy/internal/tokens"
)

func (p *parser) tools(name []byte) {
	if p.null() {
		return
	}
	start := p.place()
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
	p.weigh(start)
}

// inner is a string as it is written, without its quotes, and any other value as
// it is.
func inner(v jsontext.Value) []byte {
	if isText(v) {
		return v[1 : len(v)-1]
	}
	return v
}

// place is where a piece of JSON begins that goes upstream as text, and what the
// escapes before it have saved.
type place struct{ offset, saved int }

func (p *parser) place() place { return place{p.offset(), p.text.Saved()} }

// weigh counts what has been read since, escapes as what they stand for.
func (p *parser) weigh(since place) {
	p.tally.text += p.offset() - since.offset - (p.text.Saved() - since.saved)
	if p.err == nil {
		p.tally.weight += tokens.JSON(p.src[since.offset:p.offset()])
	}
}

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
	start := p.place()
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
	p.weigh(start)
}

func (p *parser) formatType(v jsontext.Value) {
	if p.err == nil && !isNull(v) && !isText(v) {
		p.fail(invalid("response_format.type", "must be a string"))
	}
	p.tally.format = text(v)
}

package openai

import (
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/services/proxy/internal/tokens"
)

// maxInputs is how many texts the format allows in one call.
const maxInputs = 2048

var embeddingsNames = []string{"model", "input", "encoding_format", "dimensions"}

func (p *parser) embeddingsMember() {
	switch string(p.name) {
	case "model":
		p.model()
	case "input":
		p.hasMain = true
		p.input()
	case "encoding_format":
		p.encodingFormat()
	case "dimensions":
		p.dimensions()
	default:
		p.unknown(embeddingsNames)
	}
}

// maxDimensions is wider than any model's vectors.
const maxDimensions = 1 << 16

func (p *parser) dimensions() {
	n, _ := p.whole(p.name, 1)
	if n > maxDimensions {
		p.fail(invalid("dimensions", "must be at most "+strconv.Itoa(maxDimensions)))
	}
	p.req.Dimensions = int(n)
}

func (p *parser) encodingFormat() {
	v := p.value()
	switch string(v) {
	case "", `"float"`:
	case "null":
		p.nullEncoding = true
		p.encoding = span{p.before, p.offset()}
	case `"base64"`:
		p.req.Base64 = true
		p.encoding = p.spanOf(v)
	default:
		p.fail(invalid("encoding_format", "must be float or base64"))
	}
}

// input is a text, tokens, or an array of either.
func (p *parser) input() {
	if p.kind() == jsontext.KindString {
		p.inputText()
		return
	}
	if !p.open(jsontext.KindBeginArray) {
		p.badInput()
		return
	}
	first := p.kind()
	switch first {
	case jsontext.KindString, jsontext.KindBeginArray:
		p.inputs(first)
	case jsontext.KindNumber:
		p.inputTokens()
	default:
		p.badInput()
	}
	if p.req.Inputs > maxInputs {
		p.fail(invalid("input", "must have at most "+strconv.Itoa(maxInputs)+" elements"))
	}
}

func (p *parser) inputs(kind jsontext.Kind) {
	for p.element() {
		switch {
		case p.kind() != kind:
			p.badInput()
		case kind == jsontext.KindString:
			p.inputText()
		default:
			p.token()
			p.inputTokens()
		}
	}
}

func (p *parser) inputText() {
	v, n := p.measured()
	if len(v) <= 2 {
		p.badInput()
	}
	p.tally.text += n
	p.tally.tokens += tokens.JSON(inner(v)).Tokens()
	p.req.Inputs++
}

// inputTokens reads the rest of an array of tokens, which count exactly.
func (p *parser) inputTokens() {
	n := 0
	for p.element() {
		if id, ok := integer(p.value()); !ok || id < 0 {
			p.badInput()
		}
		n++
	}
	if n == 0 {
		p.badInput()
	}
	p.tally.tokens += int64(n)
	p.req.Inputs++
}

func (p *parser) badInput() {
	p.fail(invalid("input", "must be a non-empty string, an array of them, an array of tokens, or an array of those"))
}

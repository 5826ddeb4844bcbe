package openai

import (
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/pkg/tokens"
)

// maxInputs is the OpenAI limit for inputs per call.
const maxInputs = 2048

var embeddingsMemberNames = []string{"model", "input", "encoding_format", "dimensions"}

func (p *parser) readEmbeddingsMember() {
	switch string(p.name) {
	case "model":
		p.readModel()
	case "input":
		p.hasPayload = true
		p.readInput()
	case "encoding_format":
		p.readEncodingFormat()
	case "dimensions":
		p.readDimensions()
	default:
		p.readUnknownMember(embeddingsMemberNames)
	}
}

// maxDimensions is above the vector length of any model.
const maxDimensions = 1 << 16

func (p *parser) readDimensions() {
	n, _ := p.readInteger(p.name, 1)
	if n > maxDimensions {
		p.fail(errInvalidParam("dimensions", "must be at most "+strconv.Itoa(maxDimensions)))
	}
	p.req.Dimensions = int(n)
}

func (p *parser) readEncodingFormat() {
	v := p.readValue()
	switch string(v) {
	case "", `"float"`:
	case "null":
		p.nullEncoding = true
		p.encoding = span{p.memberStart, p.offset()}
	case `"base64"`:
		p.req.WantsBase64 = true
		p.encoding = p.lastValueSpan(v)
	default:
		p.fail(errInvalidParam("encoding_format", `must be "float" or "base64"`))
	}
}

// readInput reads a string, an array of tokens, or an array of strings or of token
// arrays.
func (p *parser) readInput() {
	if p.peekKind() == jsontext.KindString {
		p.readInputText()
		return
	}
	if !p.enter(jsontext.KindBeginArray) {
		p.failInput()
		return
	}
	first := p.peekKind()
	switch first {
	case jsontext.KindString, jsontext.KindBeginArray:
		p.readInputList(first)
	case jsontext.KindNumber:
		p.readTokenInput()
	default:
		p.failInput()
	}
	if p.req.InputCount > maxInputs {
		p.fail(errInvalidParam("input", "must have at most "+strconv.Itoa(maxInputs)+" elements"))
	}
}

func (p *parser) readInputList(kind jsontext.Kind) {
	for p.nextElement() {
		switch {
		case p.peekKind() != kind:
			p.failInput()
		case kind == jsontext.KindString:
			p.readInputText()
		default:
			p.readToken()
			p.readTokenInput()
		}
	}
}

func (p *parser) readInputText() {
	v, n := p.readMeasured()
	if len(v) <= 2 {
		p.failInput()
	}
	p.counts.textBytes += n
	p.counts.otherTokens += tokens.EstimateJSON(stripQuotes(v)).Tokens()
	p.req.InputCount++
}

// readTokenInput reads an array of tokens after its opening bracket. The number of
// tokens is known, so no estimate is needed.
func (p *parser) readTokenInput() {
	n := 0
	for p.nextElement() {
		if id, ok := parseInteger(p.readValue()); !ok || id < 0 {
			p.failInput()
		}
		n++
	}
	if n == 0 {
		p.failInput()
	}
	p.counts.otherTokens += int64(n)
	p.req.InputCount++
}

func (p *parser) failInput() {
	p.fail(errInvalidParam("input", "must be a non-empty string, an array of tokens, or an array of strings or token arrays"))
}

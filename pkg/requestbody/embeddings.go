package requestbody

import (
	"strconv"

	"github.com/signalbox/signalbox/pkg/jsonscan"
	"github.com/signalbox/signalbox/pkg/tokens"
)

// maxInputs is the OpenAI limit for inputs per call.
const maxInputs = 2048

var embeddingsMemberNames = []string{"model", "input", "encoding_format", "dimensions"}

func (p *parser) readEmbeddingsMember() {
	switch string(p.Name()) {
	case "model":
		p.readModel()
	case "input":
		p.hasPayload = true
		p.readInput()
	case "encoding_format":
		p.readEncodingFormat()
	case "dimensions":
		p.req.Dimensions = p.readDimensions(p.Name())
	default:
		p.readUnknownMember(embeddingsMemberNames)
	}
}

// maxDimensions is above the vector length of any model.
const maxDimensions = 1 << 16

func (p *parser) readDimensions(name []byte) int {
	n, _ := p.readInteger(name, 1)
	if n > maxDimensions {
		p.SetError(errInvalidParam(string(name), "must be at most "+strconv.Itoa(maxDimensions)))
	}
	return int(n)
}

func (p *parser) readEncodingFormat() {
	switch string(p.Value()) {
	case "", `"float"`, "null":
	case `"base64"`:
		p.req.WantsBase64 = true
	default:
		p.SetError(errInvalidParam("encoding_format", `must be "float" or "base64"`))
	}
}

// readInput reads a string, an array of tokens, or an array of strings or of token
// arrays.
func (p *parser) readInput() {
	if p.PeekKind() == jsonscan.String {
		p.readInputText()
		return
	}
	if !p.Enter(jsonscan.BeginArray) {
		p.failInput()
		return
	}
	first := p.PeekKind()
	switch first {
	case jsonscan.String, jsonscan.BeginArray:
		p.readInputList(first)
	case jsonscan.Number:
		p.readTokenInput()
	default:
		p.failInput()
	}
	if p.req.InputCount > maxInputs {
		p.SetError(errInvalidParam("input", "must have at most "+strconv.Itoa(maxInputs)+" elements"))
	}
}

func (p *parser) readInputList(kind jsonscan.Kind) {
	for p.NextElement() {
		switch {
		case p.PeekKind() != kind:
			p.failInput()
		case kind == jsonscan.String:
			p.readInputText()
		default:
			p.Enter(jsonscan.BeginArray)
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
	for p.NextElement() {
		if id, ok := jsonscan.ParseInteger(p.Value()); !ok || id < 0 {
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
	p.SetError(errInvalidParam("input", "must be a non-empty string, an array of tokens, or an array of strings or token arrays"))
}

package requestbody

import (
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/jsonscan"
	"github.com/signalbox/signalbox/pkg/tokens"
)

var embedContentNames = []string{"content", "taskType", "title", "outputDimensionality", "model"}

// ParseEmbedContent parses the body of an embedContent call. It fails like ParseChat.
func ParseEmbedContent(body []byte, model string) (*Request, error) {
	p := newParser(catalog.Embeddings, body)
	defer p.release()
	p.startGemini(model)
	p.readBody(func(p *parser) { p.readEmbedMember(&p.gemini.seen, "") })
	p.requireMembers("content")
	return p.buildRequest()
}

// ParseBatchEmbedContents parses the body of a batchEmbedContents call. It fails like
// ParseChat. All requests of the body must have the same dimensions.
func ParseBatchEmbedContents(body []byte, model string) (*Request, error) {
	p := newParser(catalog.Embeddings, body)
	defer p.release()
	p.startGemini(model)
	p.req.IsBatch = true
	p.readBody((*parser).readBatchMember)
	p.requireMembers("requests")
	return p.buildRequest()
}

var batchNames = []string{"requests"}

func (p *parser) readBatchMember() {
	if p.geminiName(batchNames, &p.gemini.seen, "") == "" {
		p.readUnknownGemini(batchNames, "")
		return
	}
	p.hasPayload = true
	if !p.Enter(jsonscan.BeginArray) {
		p.SetError(errInvalidParam("requests", "must be an array"))
		return
	}
	first := 0
	for index := 0; p.NextElement(); index++ {
		dimensions := p.readEmbedRequest("requests[" + strconv.Itoa(index) + "]")
		if index == 0 {
			first = dimensions
		}
		if dimensions != first {
			p.SetError(errInvalidParam("requests["+strconv.Itoa(index)+"].outputDimensionality", "must be the same in all requests"))
		}
	}
	if p.req.InputCount == 0 || p.req.InputCount > maxInputs {
		p.SetError(errInvalidParam("requests", "must have 1 to "+strconv.Itoa(maxInputs)+" elements"))
	}
}

// readEmbedRequest reads one request of a batch and returns its dimensions.
func (p *parser) readEmbedRequest(path string) int {
	if !p.Enter(jsonscan.BeginObject) {
		p.SetError(errInvalidParam(path, "must be an object"))
		return 0
	}
	p.req.Dimensions, p.hasPayload = 0, false
	var seen geminiSeen
	for p.NextMember() {
		p.readEmbedMember(&seen, path+".")
	}
	if !p.hasPayload {
		p.SetError(errInvalidParam(path+".content", "is missing"))
	}
	return p.req.Dimensions
}

func (p *parser) readEmbedMember(seen *geminiSeen, path string) {
	name := path + string(p.Name())
	switch p.geminiName(embedContentNames, seen, path) {
	case "content":
		p.hasPayload = true
		p.readEmbedContent(name)
	case "outputDimensionality":
		p.req.Dimensions = p.readDimensions([]byte(name))
	case "":
		p.readUnknownGemini(embedContentNames, path)
	default:
		p.readConfigValue([]byte(name), `"`, "a string")
	}
}

// readEmbedContent reads a content, which is one input.
func (p *parser) readEmbedContent(path string) {
	p.gemini.prefix, p.gemini.at.holder = "", []byte(path)
	p.req.InputCount++
	if !p.Enter(jsonscan.BeginObject) {
		p.SetError(errInvalidParam(path, "must be an object with parts"))
		return
	}
	var seen geminiSeen
	before := p.counts.textBytes
	for p.NextMember() {
		if p.geminiName(contentNames, &seen, path+".") != "parts" {
			p.Value()
			continue
		}
		if !p.readOneOrMany((*parser).readEmbedPart) {
			p.failInContent(".parts", "must be an array of objects")
		}
	}
	if p.counts.textBytes == before && len(p.req.NativeOnly) == 0 {
		p.failInContent(".parts", "must contain text")
	}
}

func (p *parser) readEmbedPart(index int) {
	p.gemini.at.part = index
	if !p.Enter(jsonscan.BeginObject) {
		p.failInPart("", "must be an object")
		return
	}
	var text jsontext.Value
	for p.NextMember() {
		if string(p.Name()) != "text" {
			p.addNativeOnly("media")
			p.Value()
			continue
		}
		v, n := p.readMeasured()
		if text = v; !jsonscan.IsString(v) {
			p.failInPart(".text", "must be a string")
		}
		p.counts.textBytes += n - 2
		p.counts.otherTokens += tokens.EstimateJSON(stripQuotes(text)).Tokens()
	}
}

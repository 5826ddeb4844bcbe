package requestbody

import (
	"fmt"
	"math"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/jsonscan"
)

var generationConfigNames = []string{
	"temperature", "topP", "topK", "maxOutputTokens", "candidateCount", "stopSequences", "responseMimeType",
	"responseSchema", "responseJsonSchema", "thinkingConfig", "seed", "presencePenalty", "frequencyPenalty",
	"responseLogprobs", "logprobs", "responseModalities",
}

func (p *parser) readGenerationConfig() {
	p.gemini.configName = p.Name()
	if p.skipNull() {
		return
	}
	if !p.Enter(jsonscan.BeginObject) {
		p.SetError(errInvalidParam(p.gemini.prefix+string(p.gemini.configName), "must be an object"))
		return
	}
	var seen geminiSeen
	for p.NextMember() {
		p.readConfigMember(&seen)
	}
}

// configPath returns the path of the current member of the generation config. It is valid
// until the next call.
func (p *parser) configPath() []byte {
	b := append(p.gemini.pathBuffer[:0], p.gemini.prefix...)
	b = append(append(b, p.gemini.configName...), '.')
	p.gemini.pathBuffer = append(b, p.Name()...)
	return p.gemini.pathBuffer
}

func (p *parser) readConfigMember(seen *geminiSeen) {
	path := p.configPath()
	switch p.geminiName(generationConfigNames, seen, string(path[:len(path)-len(p.Name())])) {
	case "temperature":
		p.readNumber(path, 0, 2)
	case "topP":
		p.readNumber(path, 0, 1)
	case "topK":
		p.readNumber(path, 0, math.MaxInt32)
	case "presencePenalty", "frequencyPenalty":
		p.readNumber(path, -2, 2)
	case "logprobs":
		p.readNumber(path, 0, math.MaxInt32)
	case "maxOutputTokens":
		p.readMaxTokens(path)
	case "candidateCount":
		p.readChoices(path)
	case "seed":
		p.readSeed(path)
	case "stopSequences":
		p.readStrings(path, maxStops, nil)
	case "responseModalities":
		p.readStrings(path, maxStops, (*parser).checkModality)
	case "responseLogprobs":
		p.counts.logprobs = p.parseBool(string(path), p.Value())
	case "responseMimeType":
		p.gemini.mediaType = strings.ToLower(jsonscan.DecodeText(p.readConfigValue(path, `"`, "a string")))
	case "responseSchema", "responseJsonSchema":
		p.readResponseSchema(path)
	case "thinkingConfig":
		p.readThinkingConfig(string(path))
	default:
		p.readUnknownGemini(generationConfigNames, "")
	}
}

// readConfigValue reads a value whose first byte must be one of kinds. Null is allowed.
func (p *parser) readConfigValue(path []byte, kinds, description string) jsontext.Value {
	v := p.Value()
	if p.Err() == nil && !jsonscan.IsNull(v) && strings.IndexByte(kinds, v[0]) < 0 {
		p.SetError(errInvalidParam(string(path), "must be "+description))
	}
	return v
}

// readStrings reads an array of at most limit strings. check may be nil.
func (p *parser) readStrings(path []byte, limit int, check func(*parser, jsontext.Value)) {
	if p.skipNull() {
		return
	}
	count := 0
	if !p.Enter(jsonscan.BeginArray) {
		p.SetError(errInvalidParam(string(path), "must be an array of strings"))
		return
	}
	for ; p.NextElement(); count++ {
		v := p.Value()
		if p.Err() == nil && !jsonscan.IsString(v) {
			p.SetError(errInvalidParam(string(path), "must be an array of strings"))
		}
		if check != nil {
			check(p, v)
		}
	}
	if count > limit {
		p.SetError(errInvalidParam(string(path), fmt.Sprintf("must have at most %d strings", limit)))
	}
}

// checkModality notes a modality other than text, because chat has no common form for it.
func (p *parser) checkModality(v jsontext.Value) {
	if m := jsonscan.DecodeText(v); p.Err() == nil && !strings.EqualFold(m, "TEXT") && m != "MODALITY_UNSPECIFIED" {
		p.addNativeOnly("modality")
	}
}

// readResponseSchema reads a schema. The model reads it as text.
func (p *parser) readResponseSchema(path []byte) {
	if p.skipNull() {
		return
	}
	if p.gemini.hasSchema {
		p.SetError(errInvalidParam(string(path), "must not be combined with another response schema"))
	}
	p.gemini.hasSchema = true
	start := p.markText()
	p.readConfigValue(path, "{", "an object")
	p.countSince(start)
}

// setGeminiFormat sets the format of the response. It is called after the whole body is read.
func (p *parser) setGeminiFormat() {
	switch p.gemini.mediaType {
	case "", "text/plain", "application/json":
	default:
		p.addNativeOnly("response_type")
		return
	}
	switch {
	case p.gemini.hasSchema:
		p.counts.responseFormat = string(catalog.JSONSchema)
	case p.gemini.mediaType == "application/json":
		p.counts.responseFormat = string(catalog.JSONObject)
	}
}

var thinkingConfigNames = []string{"includeThoughts", "thinkingBudget", "thinkingLevel"}

func (p *parser) readThinkingConfig(path string) {
	if p.skipNull() {
		return
	}
	if !p.Enter(jsonscan.BeginObject) {
		p.SetError(errInvalidParam(path, "must be an object"))
		return
	}
	var seen geminiSeen
	for p.NextMember() {
		name := path + "." + string(p.Name())
		switch p.geminiName(thinkingConfigNames, &seen, path+".") {
		case "includeThoughts":
			p.parseBool(name, p.Value())
		case "thinkingBudget":
			p.readInteger([]byte(name), -1)
		case "thinkingLevel":
			p.readConfigValue([]byte(name), `"`, "a string")
		default:
			p.readUnknownGemini(thinkingConfigNames, path+".")
		}
	}
}

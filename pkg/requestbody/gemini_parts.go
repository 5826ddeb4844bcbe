package requestbody

import (
	"github.com/signalbox/signalbox/pkg/jsonscan"
)

var partNames = []string{
	"text", "functionCall", "functionResponse", "thought", "thoughtSignature", "inlineData", "fileData",
	"executableCode", "codeExecutionResult", "videoMetadata",
}

// readGeminiPart reads one part. A part has exactly one member with data.
func (p *parser) readGeminiPart(index int) {
	p.gemini.at.part = index
	p.gemini.partCount++
	if !p.Enter(jsonscan.BeginObject) {
		p.failInPart("", "must be an object")
		return
	}
	var seen geminiSeen
	known, unknown, data := 0, 0, 0
	for p.NextMember() {
		switch name := p.geminiName(partNames, &seen, ""); {
		case name == "":
			p.readUnknownGemini(partNames, "")
			unknown++
		case p.readPartMember(name):
			data++
			known++
		default:
			known++
		}
	}
	switch {
	case data > 1:
		p.failInPart("", "must have only one member with data")
	case known+unknown == 0:
		p.failInPart("", "must not be empty")
	case data == 0 && unknown > 0:
		p.addNativeOnly("part")
	}
}

// readPartMember reads a member of a part and reports whether it is the part's data.
func (p *parser) readPartMember(name string) (isData bool) {
	switch name {
	case "text":
		return p.readPartText()
	case "functionCall":
		p.readFunctionCall()
	case "functionResponse":
		p.readFunctionResponse()
	case "inlineData":
		p.readInlineData()
	case "fileData":
		p.readFileData()
	case "executableCode", "codeExecutionResult":
		p.addNativeOnly("code_execution")
		start := p.markText()
		p.readPartObject(".", name)
		p.countSince(start)
	case "thought":
		if v := p.Value(); p.Err() == nil && !jsonscan.IsNull(v) && v[0] != 't' && v[0] != 'f' {
			p.failInPart(".thought", "must be true or false")
		}
		return false
	case "thoughtSignature":
		p.readSignature()
		return false
	default:
		p.readPartObject(".", name)
		return false
	}
	return true
}

func (p *parser) readPartText() (isData bool) {
	v, n := p.readMeasured()
	if jsonscan.IsNull(v) {
		return false
	}
	if !jsonscan.IsString(v) {
		p.failInPart(".text", "must be a string")
		return true
	}
	p.counts.textBytes += n - 2
	p.counts.textTokens += p.estimateText(stripQuotes(v))
	return true
}

// readSignature reads Google's encrypted record of the thinking. Only Google can read it,
// unless the gateway itself wrote it.
func (p *parser) readSignature() {
	v := p.readPartString(".thoughtSignature", "")
	switch {
	case jsonscan.IsBlank(v):
	case IsGeminiState(v):
		p.req.HasGatewayState = true
	case !IsPlaceholderSignature(v):
		p.addNativeOnly("signature")
	}
}

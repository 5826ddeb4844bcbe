package requestbody

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/pkg/jsonscan"
)

// geminiCall is a function call or a function response.
type geminiCall struct {
	id, name jsontext.Value
	part     int
	answered bool
}

// applyModelTurn stores the function calls of a model turn. Consecutive contents of the
// model form one turn.
func (p *parser) applyModelTurn() {
	p.addModelMessage()
	g := &p.gemini
	if !g.afterModel {
		g.calls, g.callIndex = g.calls[:0], nil
	}
	g.afterModel = true
	g.calls = append(g.calls, g.newCalls...)
	if len(g.newCalls) > 0 {
		p.req.Traits |= HasToolCalls
	}
	if g.mediaCount > 0 {
		p.addNativeOnly("model_media")
	}
	for i := range g.newResponses {
		g.at.part = g.newResponses[i].part
		p.failInPart(".functionResponse", `must be in a content with the role "user" or "function"`)
	}
}

// matchResponses assigns each function response to a call of the last model turn.
func (p *parser) matchResponses() {
	for i := range p.gemini.newResponses {
		r := &p.gemini.newResponses[i]
		call := p.gemini.findCall(r)
		if call == nil {
			p.gemini.at.part = r.part
			p.failInPart(".functionResponse", "belongs to no function call of the previous model turn")
			return
		}
		call.answered = true
	}
}

// findCall returns the first open call of the last model turn that has the id of the
// response. Some clients invent ids for calls that came without one. So a call without an id
// also matches by its name.
func (g *geminiState) findCall(r *geminiCall) *geminiCall {
	if len(g.calls) > maxLinearSearch {
		return g.findIndexedCall(r)
	}
	for i := range g.calls {
		if c := &g.calls[i]; !c.answered && !jsonscan.IsBlank(r.id) && equalStrings(c.id, r.id) {
			return c
		}
	}
	for i := range g.calls {
		c := &g.calls[i]
		if !c.answered && (jsonscan.IsBlank(c.id) || jsonscan.IsBlank(r.id)) && equalStrings(c.name, r.name) {
			return c
		}
	}
	return nil
}

// findIndexedCall finds the same call as findCall. It creates the index with the first response
// to a turn, because then the turn has no further calls.
func (g *geminiState) findIndexedCall(r *geminiCall) *geminiCall {
	if g.callIndex == nil {
		g.callIndex = make(CallIndex, len(g.calls))
		for i := range g.calls {
			g.callIndex.Add(i, jsonscan.DecodeText(g.calls[i].id), jsonscan.DecodeText(g.calls[i].name))
		}
	}
	isOpen := func(i int) bool { return !g.calls[i].answered }
	if i := g.callIndex.Find(jsonscan.DecodeText(r.id), jsonscan.DecodeText(r.name), isOpen); i >= 0 {
		return &g.calls[i]
	}
	return nil
}

// equalStrings reports whether two JSON strings have the same text.
func equalStrings(a, b jsontext.Value) bool {
	return string(a) == string(b) || jsonscan.DecodeText(a) == jsonscan.DecodeText(b)
}

var (
	functionCallNames     = []string{"id", "name", "args"}
	functionResponseNames = []string{"id", "name", "response", "parts"}
)

// readFunctionCall reads a call. Its JSON counts as text.
func (p *parser) readFunctionCall() {
	call := geminiCall{part: p.gemini.at.part}
	start := p.markText()
	if !p.Enter(jsonscan.BeginObject) {
		p.failInPart(".functionCall", "must be an object")
		return
	}
	var seen geminiSeen
	for p.NextMember() {
		switch p.geminiName(functionCallNames, &seen, "") {
		case "id":
			call.id = p.readPartString(".functionCall", ".id")
		case "name":
			call.name = p.readPartString(".functionCall", ".name")
		case "args":
			p.readPartObject(".functionCall", ".args")
		default:
			p.readUnknownGemini(functionCallNames, "")
		}
	}
	p.countSince(start)
	if jsonscan.IsBlank(call.name) {
		p.failInPart(".functionCall.name", "must be a non-empty string")
	}
	p.gemini.newCalls = append(p.gemini.newCalls, call)
}

// readFunctionResponse reads a response. Its JSON counts as text, but its media do not.
func (p *parser) readFunctionResponse() {
	response := geminiCall{part: p.gemini.at.part}
	if !p.Enter(jsonscan.BeginObject) {
		p.failInPart(".functionResponse", "must be an object")
		return
	}
	var seen geminiSeen
	for p.NextMember() {
		switch p.geminiName(functionResponseNames, &seen, "") {
		case "id":
			response.id = p.readPartString(".functionResponse", ".id")
		case "name":
			response.name = p.readPartString(".functionResponse", ".name")
		case "response":
			start := p.markText()
			p.readPartObject(".functionResponse", ".response")
			p.countSince(start)
		case "parts":
			p.readResponseMedia()
		default:
			p.readUnknownGemini(functionResponseNames, "")
		}
	}
	if jsonscan.IsBlank(response.name) {
		p.failInPart(".functionResponse.name", "must be a non-empty string")
	}
	p.gemini.newResponses = append(p.gemini.newResponses, response)
}

// readResponseMedia reads the parts of a function response. They can only be media.
func (p *parser) readResponseMedia() {
	if p.skipNull() {
		return
	}
	if !p.readOneOrMany((*parser).readResponsePart) {
		p.failInPart(".functionResponse.parts", "must be an array of objects")
	}
}

func (p *parser) readResponsePart(int) {
	if !p.Enter(jsonscan.BeginObject) {
		p.failInPart(".functionResponse.parts", "must be an array of objects")
		return
	}
	var seen geminiSeen
	for p.NextMember() {
		switch p.geminiName(partNames, &seen, "") {
		case "inlineData":
			p.readInlineData()
		case "fileData":
			p.readFileData()
		case "":
			p.readUnknownGemini(partNames, "")
		default:
			p.Value()
		}
	}
}

// readPartString reads a string or null. The path of the value in the part is parent+member.
// The two are joined only for an error.
func (p *parser) readPartString(parent, member string) jsontext.Value {
	v := p.Value()
	if !jsonscan.IsNull(v) && !jsonscan.IsString(v) {
		p.failInPart(parent+member, "must be a string")
	}
	return v
}

func (p *parser) readPartObject(parent, member string) {
	if v := p.Value(); !jsonscan.IsNull(v) && v[0] != '{' {
		p.failInPart(parent+member, "must be an object")
	}
}

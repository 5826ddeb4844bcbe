package requestbody

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/jsonscan"
)

// geminiState is the state of the parser that only Gemini bodies need.
type geminiState struct {
	// seen are the members of the request that were read.
	seen geminiSeen
	// prefix is the path of the request inside the body, such as generateContentRequest.
	prefix string
	// at is the position of the part that is read now.
	at geminiPosition
	// calls are the function calls of the last model turn. newCalls and newResponses are
	// those of the content that is read now.
	calls, newCalls, newResponses []geminiCall
	// callIndex contains the calls, if there are many. It is nil until it is needed.
	callIndex CallIndex
	// partCount and mediaCount are the numbers of parts and of media of that content.
	partCount, mediaCount int
	// afterModel is set if the last content has the role model.
	afterModel bool
	// configName is the client's spelling of generationConfig. pathBuffer is reused for the
	// paths of its members.
	configName, pathBuffer []byte
	// hasSchema is set if the client requests a response with a schema. mediaType is the
	// requested type of the response.
	hasSchema bool
	mediaType string
	// looksLikeChat is set if the body has a member of another API.
	looksLikeChat bool
}

var generateContentNames = []string{
	"contents", "systemInstruction", "tools", "toolConfig", "generationConfig", "safetySettings",
	"cachedContent", "labels", "model",
}

// ParseGenerateContent parses the body of a call to Google's generateContent or
// streamGenerateContent. model comes from the path. stream is set for the second method.
// Member names may be written in camelCase or in snake_case. It fails like ParseChat.
func ParseGenerateContent(body []byte, model string, stream bool) (*Request, error) {
	p := newParser(catalog.Chat, body)
	defer p.release()
	p.startGemini(model)
	p.req.Stream, p.req.IncludeUsage = stream, stream
	p.readBody((*parser).readGenerateContentMember)
	p.finishGenerateContent()
	return p.buildRequest()
}

// startGemini sets the values that do not come from the body.
func (p *parser) startGemini(model string) {
	p.req.Protocol, p.req.Model, p.hasModel = Gemini, model, model != ""
	p.gemini.at = geminiPosition{content: noIndex, part: noIndex}
	if len(model)+len(`""`) > maxModelName {
		p.SetError(errInvalidParam("model", "is too long"))
	}
}

// finishGenerateContent checks the request after all members are read.
func (p *parser) finishGenerateContent() {
	if !p.hasPayload && p.gemini.looksLikeChat {
		p.SetError(errInvalidParam("contents", "is missing; the body looks like a request of another API").
			With("hint", `send "contents" to this endpoint, or this body to /v1/chat/completions`))
	}
	p.requireMembers(p.gemini.prefix + "contents")
	p.setGeminiFormat()
}

func (p *parser) readGenerateContentMember() {
	switch p.geminiName(generateContentNames, &p.gemini.seen, p.gemini.prefix) {
	case "contents":
		p.hasPayload = true
		p.readGeminiContents()
	case "systemInstruction":
		p.readSystemInstruction()
	case "tools":
		p.readGeminiTools()
	case "toolConfig":
		p.readGeminiToolConfig()
	case "generationConfig":
		p.readGenerationConfig()
	case "safetySettings":
		p.checkGeminiKind("[{", "an array of objects")
	case "cachedContent":
		p.noteCachedContent(p.checkGeminiKind(`"`, "a string"))
	case "labels":
		p.readGeminiLabels()
	case "model":
		p.checkGeminiKind(`"`, "a string")
	default:
		p.gemini.looksLikeChat = p.gemini.looksLikeChat || string(p.Name()) == "messages" || string(p.Name()) == "input"
		p.readUnknownGemini(generateContentNames, p.gemini.prefix)
	}
}

// noteCachedContent records a prompt that Google has cached. v is its name.
func (p *parser) noteCachedContent(v jsontext.Value) {
	if !jsonscan.IsBlank(v) {
		p.addNativeOnly("cached_content")
	}
}

// readGeminiLabels reads the labels. Routing rules can use them like the metadata of a chat.
func (p *parser) readGeminiLabels() {
	name := p.gemini.prefix + string(p.Name())
	if p.skipNull() {
		return
	}
	if !p.Enter(jsonscan.BeginObject) {
		p.SetError(errInvalidParam(name, "must be an object"))
		return
	}
	pairs := 0
	for ; p.NextMember(); pairs++ {
		label := string(p.Name())
		v := p.Value()
		if p.Err() == nil && !jsonscan.IsString(v) {
			p.SetError(errInvalidParam(name, "must have strings as values"))
		}
		p.addMetadata(label, v)
	}
	if pairs > maxMetadataPairs {
		p.SetError(errInvalidParam(name, "has too many members"))
	}
}

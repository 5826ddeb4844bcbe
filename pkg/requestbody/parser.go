package requestbody

import (
	"math"
	"sync"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/jsonscan"
)

// parser fills a Request in one pass over the body.
type parser struct {
	jsonscan.Reader
	parseState
}

// parseState holds the values that the parser has found in the body so far.
type parseState struct {
	req    *Request
	counts requestCounts
	// hasModel, hasPayload and hasInput are set once the member was read. The payload
	// is "messages" for a chat and "input" for embeddings. hasInput is set only for a
	// chat body with the member "input".
	hasModel, hasPayload, hasInput bool
	anthropic                      anthropicState
	gemini                         geminiState
}

// ParseChat parses the body of a chat completion. It fails with INVALID_JSON and the
// detail offset, or with INVALID_REQUEST and the detail param. Two INVALID_REQUEST errors
// have the detail offset instead: too many members, and JSON that many parsers reject.
// The Request keeps a reference to body.
func ParseChat(body []byte) (*Request, error) {
	p := newParser(catalog.Chat, body)
	defer p.release()
	p.readBody((*parser).readChatMember)
	if !p.hasPayload && p.hasInput {
		p.SetError(errInvalidParam("messages", "is missing; the body looks like a request of the Responses API").
			With("hint", "send it to POST /proxy/v1/responses, or send \"messages\" to this endpoint"))
	}
	p.requireMembers("messages")
	return p.buildRequest()
}

// ParseEmbeddings parses the body of an embeddings call. It fails like ParseChat.
func ParseEmbeddings(body []byte) (*Request, error) {
	p := newParser(catalog.Embeddings, body)
	defer p.release()
	p.readBody((*parser).readEmbeddingsMember)
	p.requireMembers("input")
	return p.buildRequest()
}

// parserPool reuses parsers, because allocating the tables of a parser takes longer than
// parsing a small body.
var parserPool = sync.Pool{New: func() any { return new(parser) }}

// maxPooledBytes is the largest body whose parser is put back into the pool.
const maxPooledBytes = 1 << 20

// maxNames limits the names of all objects of a request together. It is ten times the
// number of names in a conversation of a few thousand messages.
const maxNames = 250_000

func newParser(kind catalog.Kind, body []byte) *parser {
	p := parserPool.Get().(*parser)
	p.req = &Request{Kind: kind, Protocol: ChatCompletions, Body: body, Choices: 1}
	p.req.members = p.req.memberStorage[:0]
	p.ResetLimited(body, false)
	p.LimitNames(maxNames)
	return p
}

func (p *parser) release() {
	small := len(p.Source()) <= maxPooledBytes
	p.ResetLimited(nil, false)
	p.parseState = parseState{}
	if small {
		parserPool.Put(p)
	}
}

func (p *parser) readBody(member func(*parser)) {
	if !p.Enter(jsonscan.BeginObject) {
		p.SetError(errInvalidJSON("the body must be a JSON object", 0))
	}
	for p.NextMember() {
		p.beginMember()
		member(p)
		p.endMember()
	}
	_ = p.CheckEnd() // buildRequest returns the error
}

// requireMembers fails if the model or the payload is missing. payload is the name
// of the payload's member.
func (p *parser) requireMembers(payload string) {
	if !p.hasModel {
		p.SetError(errInvalidParam("model", "is missing"))
	}
	if !p.hasPayload {
		p.SetError(errInvalidParam(payload, "is missing"))
	}
}

// buildRequest returns the request or the first error.
func (p *parser) buildRequest() (*Request, error) {
	if p.Err() != nil {
		return nil, toRequestError(p.Err())
	}
	if problem := p.PortabilityError(); problem != nil {
		return nil, apperr.New(apperr.InvalidRequest, "the body contains JSON that many parsers reject: "+problem.Text).With("offset", problem.Offset)
	}
	p.counts.fillRequest(p.req)
	return p.req, nil
}

var chatMemberNames = []string{
	"model", "messages", "stream", "stream_options", "max_tokens", "max_completion_tokens",
	"tools", "functions", "response_format", "input", "n", "temperature", "top_p",
	"presence_penalty", "frequency_penalty", "seed", "top_logprobs", "logprobs", "parallel_tool_calls",
	"stop", "tool_choice", "function_call", "logit_bias", "metadata", "user",
}

func (p *parser) readChatMember() {
	switch string(p.Name()) {
	case "model":
		p.readModel()
	case "messages":
		p.readMessages()
	case "stream":
		p.req.Stream = p.parseBool("stream", p.Value())
	case "stream_options":
		p.readStreamOptions()
	case "max_tokens", "max_completion_tokens":
		p.readMaxTokens(p.Name())
	case "n":
		p.readChoices(p.Name())
	case "temperature":
		p.readNumber(p.Name(), 0, 2)
	case "top_p":
		p.readNumber(p.Name(), 0, 1)
	case "presence_penalty", "frequency_penalty":
		p.readNumber(p.Name(), -2, 2)
	case "seed":
		p.readSeed(p.Name())
	case "top_logprobs":
		p.readNumber(p.Name(), -math.MaxFloat64, math.MaxFloat64)
	case "logprobs":
		p.counts.logprobs = p.parseBool("logprobs", p.Value())
	case "parallel_tool_calls":
		p.parseBool("parallel_tool_calls", p.Value())
	case "stop":
		p.readStop()
	case "metadata":
		p.readMetadata()
	case "tool_choice", "function_call", "logit_bias", "user":
		p.checkKind(p.Name())
	case "tools", "functions":
		p.readTools(p.Name())
	case "response_format":
		p.readResponseFormat()
	case "cached_content", "cachedContent":
		p.noteCachedContent(p.Value())
	case "input":
		p.hasInput = true
		p.Value()
	default:
		p.readUnknownMember(chatMemberNames)
	}
}

// maxModelName is longer than any real model name. It is short enough to store and
// list names without truncation.
const maxModelName = 256

func (p *parser) readModel() {
	p.hasModel = true
	v := p.Value()
	if p.Err() == nil && (!jsonscan.IsString(v) || len(v) == 2) {
		p.SetError(errInvalidParam("model", "must be a non-empty string"))
		return
	}
	if len(v) > maxModelName {
		p.SetError(errInvalidParam("model", "is too long"))
		return
	}
	p.req.Model = jsonscan.DecodeText(v)
}

package openai

import (
	"math"
	"sync"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/catalog"
)

// parser fills a Request in one pass over the body.
type parser struct {
	scanner
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
	streamOptions                  streamOptionSpans
	// encoding is the span of the value of encoding_format. If the value is null,
	// nullEncoding is set and encoding is the span of the whole member.
	encoding     span
	nullEncoding bool
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
		p.fail(errInvalidParam("messages", "is missing; the body looks like a request of the Responses API").
			With("hint", "send \"messages\" to this endpoint; in the AI SDK use openai.chat()"))
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

func newParser(kind catalog.Kind, body []byte) *parser {
	p := parserPool.Get().(*parser)
	p.req = &Request{Kind: kind, Body: body, Choices: 1}
	p.req.members = p.req.memberStorage[:0]
	p.reset(body, false)
	p.maxNameCount = maxRequestNames
	return p
}

func (p *parser) release() {
	small := len(p.src) <= maxPooledBytes
	p.reset(nil, false)
	p.parseState = parseState{}
	if small {
		parserPool.Put(p)
	}
}

func (p *parser) readBody(member func(*parser)) {
	if !p.enter(jsontext.KindBeginObject) {
		p.fail(errInvalidJSON("the body must be a JSON object", 0))
	}
	for p.nextMember() {
		p.beginMember()
		member(p)
		p.endMember()
	}
	p.checkEnd()
}

// requireMembers fails if the model or the payload is missing. payload is the name
// of the payload's member.
func (p *parser) requireMembers(payload string) {
	if !p.hasModel {
		p.fail(errInvalidParam("model", "is missing"))
	}
	if !p.hasPayload {
		p.fail(errInvalidParam(payload, "is missing"))
	}
}

// buildRequest returns the request or the first error.
func (p *parser) buildRequest() (*Request, error) {
	if p.err != nil {
		return nil, toRequestError(p.err)
	}
	if problem := p.tokenScanner.PortabilityError(); problem != nil {
		return nil, apperr.New(apperr.InvalidRequest, "the body contains JSON that many parsers reject: "+problem.Text).With("offset", problem.Offset)
	}
	p.counts.fillRequest(p.req)
	p.planEdits()
	return p.req, nil
}

var chatMemberNames = []string{
	"model", "messages", "stream", "stream_options", "max_tokens", "max_completion_tokens",
	"tools", "functions", "response_format", "input", "n", "temperature", "top_p",
	"presence_penalty", "frequency_penalty", "seed", "top_logprobs", "logprobs", "parallel_tool_calls",
	"stop", "tool_choice", "function_call", "logit_bias", "metadata", "user",
}

func (p *parser) readChatMember() {
	switch string(p.name) {
	case "model":
		p.readModel()
	case "messages":
		p.readMessages()
	case "stream":
		p.req.Stream = p.parseBool("stream", p.readValue())
	case "stream_options":
		p.readStreamOptions()
	case "max_tokens", "max_completion_tokens":
		p.readMaxTokens(p.name)
	case "n":
		p.readChoices()
	case "temperature":
		p.readNumber(p.name, 0, 2)
	case "top_p":
		p.readNumber(p.name, 0, 1)
	case "presence_penalty", "frequency_penalty":
		p.readNumber(p.name, -2, 2)
	case "seed", "top_logprobs":
		p.readNumber(p.name, -math.MaxFloat64, math.MaxFloat64)
	case "logprobs":
		p.counts.logprobs = p.parseBool("logprobs", p.readValue())
	case "parallel_tool_calls":
		p.parseBool("parallel_tool_calls", p.readValue())
	case "stop":
		p.readStop()
	case "metadata":
		p.readMetadata()
	case "tool_choice", "function_call", "logit_bias", "user":
		p.checkKind(p.name)
	case "tools", "functions":
		p.readTools(p.name)
	case "response_format":
		p.readResponseFormat()
	case "input":
		p.hasInput = true
		p.readValue()
	default:
		p.readUnknownMember(chatMemberNames)
	}
}

// maxModelName is longer than any real model name. It is short enough to store and
// list names without truncation.
const maxModelName = 256

func (p *parser) readModel() {
	p.hasModel = true
	v := p.readValue()
	if p.err == nil && (!isString(v) || len(v) == 2) {
		p.fail(errInvalidParam("model", "must be a non-empty string"))
		return
	}
	if len(v) > maxModelName {
		p.fail(errInvalidParam("model", "is too long"))
		return
	}
	p.req.Model = decodeString(v)
	p.req.edits.model = p.lastValueSpan(v)
}

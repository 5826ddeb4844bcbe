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
	fields
}

// fields is what a parser knows of the body so far.
type fields struct {
	req   *Request
	tally tally
	// hasModel, hasMain and hasInput are the members seen; the main one is
	// messages, or input for embeddings.
	hasModel, hasMain, hasInput bool
	options                     options
	// encoding is the value of encoding_format, or all of a null one.
	encoding     span
	nullEncoding bool
}

// ParseChat reads the body of a chat completion. It fails with INVALID_JSON
// (details offset) or INVALID_REQUEST (details param, or offset for a body
// with too many members). The request keeps body.
func ParseChat(body []byte) (*Request, error) {
	p := newParser(catalog.Chat, body)
	defer p.release()
	p.object((*parser).chatMember)
	if !p.hasMain && p.hasInput {
		p.fail(invalid("messages", "is missing: this looks like a Responses body").
			With("hint", "send messages to this path; in the AI SDK use openai.chat()"))
	}
	p.demand("messages")
	return p.done()
}

// ParseEmbeddings reads the body of an embeddings call, as ParseChat does.
func ParseEmbeddings(body []byte) (*Request, error) {
	p := newParser(catalog.Embeddings, body)
	defer p.release()
	p.object((*parser).embeddingsMember)
	p.demand("input")
	return p.done()
}

// parsers saves the decoder's tables, which cost more than a small body.
var parsers = sync.Pool{New: func() any { return new(parser) }}

// maxPooled is the largest body whose tables are worth keeping.
const maxPooled = 1 << 20

func newParser(kind catalog.Kind, body []byte) *parser {
	p := parsers.Get().(*parser)
	p.req = &Request{Kind: kind, Body: body, Choices: 1}
	p.req.parts = p.req.room[:0]
	p.reset(body, false)
	p.maxTotal = maxRequestNames
	return p
}

func (p *parser) release() {
	small := len(p.src) <= maxPooled
	p.reset(nil, false)
	p.fields = fields{}
	if small {
		parsers.Put(p)
	}
}

func (p *parser) object(member func(*parser)) {
	if !p.open(jsontext.KindBeginObject) {
		p.fail(invalidJSON("the body must be a JSON object", 0))
	}
	for p.member() {
		p.note()
		member(p)
		p.noteEnd()
	}
	p.end()
}

func (p *parser) demand(main string) {
	if !p.hasModel {
		p.fail(invalid("model", "is missing"))
	}
	if !p.hasMain {
		p.fail(invalid(main, "is missing"))
	}
}

func (p *parser) done() (*Request, error) {
	if p.err != nil {
		return nil, requestError(p.err)
	}
	if flaw := p.text.Flaw(); flaw != nil {
		return nil, apperr.New(apperr.InvalidRequest, "the body cannot be taken: "+flaw.Text).With("offset", flaw.Offset)
	}
	p.tally.fill(p.req)
	p.plan()
	return p.req, nil
}

var chatNames = []string{
	"model", "messages", "stream", "stream_options", "max_tokens", "max_completion_tokens",
	"tools", "functions", "response_format", "input", "n", "temperature", "top_p",
	"presence_penalty", "frequency_penalty", "seed", "top_logprobs", "logprobs", "parallel_tool_calls",
	"stop", "tool_choice", "function_call", "logit_bias", "metadata", "user",
}

func (p *parser) chatMember() {
	switch string(p.name) {
	case "model":
		p.model()
	case "messages":
		p.messages()
	case "stream":
		p.req.Stream = p.boolean("stream", p.value())
	case "stream_options":
		p.streamOptions()
	case "max_tokens", "max_completion_tokens":
		p.maxTokens(p.name)
	case "n":
		p.choices()
	case "temperature":
		p.number(p.name, 0, 2)
	case "top_p":
		p.number(p.name, 0, 1)
	case "presence_penalty", "frequency_penalty":
		p.number(p.name, -2, 2)
	case "seed", "top_logprobs":
		p.number(p.name, -math.MaxFloat64, math.MaxFloat64)
	case "logprobs":
		p.tally.logprobs = p.boolean("logprobs", p.value())
	case "parallel_tool_calls":
		p.boolean("parallel_tool_calls", p.value())
	case "stop":
		p.stop()
	case "metadata":
		p.metadata()
	case "tool_choice", "function_call", "logit_bias", "user":
		p.shape(p.name)
	case "tools", "functions":
		p.tools(p.name)
	case "response_format":
		p.responseFormat()
	case "input":
		p.hasInput = true
		p.value()
	default:
		p.unknown(chatNames)
	}
}

// maxModel is longer than any model's name, and short enough to be kept in
// every record and shown in every list.
const maxModel = 256

func (p *parser) model() {
	p.hasModel = true
	v := p.value()
	if p.err == nil && (!isText(v) || len(v) == 2) {
		p.fail(invalid("model", "must be a non-empty string"))
		return
	}
	if len(v) > maxModel {
		p.fail(invalid("model", "is too long"))
		return
	}
	p.req.Model = text(v)
	p.req.edits.model = p.spanOf(v)
}

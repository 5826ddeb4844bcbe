package responses

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/pkg/jsonscan"
	"github.com/signalbox/signalbox/services/proxy/internal/upstreamerror"
)

// chatChunk is a chunk of a chat completion, or a complete one, as raw JSON. Package
// normalize wrote it. Only the first choice is read, because clients of this protocol cannot
// request several. The values are valid until the next call of parse.
type chatChunk struct {
	reader                               jsonscan.Reader
	content, refusal, reasoning, details jsontext.Value
	annotations, logprobs, finish        jsontext.Value
	usage, serviceTier                   jsontext.Value
	calls                                []chatCall
}

// chatCall is a tool call, or a fragment of one.
type chatCall struct {
	index               int
	id, name, arguments jsontext.Value
	// extra holds the members that we do not interpret, with a comma before each. Some
	// upstreams need them back.
	extra []byte
}

func (c *chatChunk) parse(body []byte) error {
	*c = chatChunk{reader: c.reader, calls: c.calls[:0]}
	r := &c.reader
	r.ResetLimited(body, true)
	if !r.Enter(jsonscan.BeginObject) {
		return upstreamerror.InvalidResponse("not a JSON object")
	}
	for r.NextMember() {
		switch string(r.Name()) {
		case "choices":
			c.readChoices()
		case "usage":
			c.usage = r.Value()
		case "service_tier":
			c.serviceTier = r.Value()
		default:
			r.Value()
		}
	}
	if err := r.CheckEnd(); err != nil {
		return upstreamerror.InvalidResponse("not valid JSON").WithCause(err)
	}
	return nil
}

func (c *chatChunk) readChoices() {
	if !c.reader.Enter(jsonscan.BeginArray) {
		c.reader.Value()
		return
	}
	for first := true; c.reader.NextElement(); first = false {
		if !first || !c.reader.Enter(jsonscan.BeginObject) {
			c.reader.Value()
			continue
		}
		c.readChoice()
	}
}

func (c *chatChunk) readChoice() {
	for c.reader.NextMember() {
		switch string(c.reader.Name()) {
		case "delta", "message":
			c.readMessage()
		case "finish_reason":
			c.finish = c.reader.Value()
		case "logprobs":
			c.logprobs = jsonscan.Member(c.reader.Value(), "content")
		default:
			c.reader.Value()
		}
	}
}

func (c *chatChunk) readMessage() {
	r := &c.reader
	if !r.Enter(jsonscan.BeginObject) {
		r.Value()
		return
	}
	for r.NextMember() {
		switch string(r.Name()) {
		case "content":
			c.content = r.Value()
		case "refusal":
			c.refusal = r.Value()
		case "reasoning_content":
			c.reasoning = r.Value()
		case "reasoning_details":
			c.details = r.Value()
		case "annotations":
			c.annotations = r.Value()
		case "tool_calls":
			c.readCalls()
		default:
			r.Value()
		}
	}
}

func (c *chatChunk) readCalls() {
	r := &c.reader
	if !r.Enter(jsonscan.BeginArray) {
		r.Value()
		return
	}
	for r.NextElement() {
		call := chatCall{index: len(c.calls)}
		if !r.Enter(jsonscan.BeginObject) {
			r.Value()
			continue
		}
		for r.NextMember() {
			c.readCallMember(&call)
		}
		c.calls = append(c.calls, call)
	}
}

func (c *chatChunk) readCallMember(call *chatCall) {
	r := &c.reader
	switch string(r.Name()) {
	case "index":
		if n, ok := jsonscan.ParseInteger(r.Value()); ok {
			call.index = int(n)
		}
	case "id":
		call.id = r.Value()
	case "function":
		function := r.Value()
		readFields(function, nil, field{"name", &call.name}, field{"arguments", &call.arguments})
	case "type":
		r.Value()
	default:
		rawName := r.RawName()
		call.extra = jsonscan.AppendMember(call.extra, rawName, r.Value())
	}
}

package normalize

import (
	"bytes"
	"io"
	"strconv"
	"sync"

	"github.com/signalbox/signalbox/pkg/jsonscan"
	"github.com/signalbox/signalbox/pkg/requestbody"
	"github.com/signalbox/signalbox/pkg/tokens"
	"github.com/signalbox/signalbox/services/proxy/internal/sse"
	"github.com/signalbox/signalbox/services/proxy/internal/upstreamerror"
	"github.com/signalbox/signalbox/services/proxy/internal/usagereport"
)

// Options configures a normalized response, which contains ID, Created and Model.
type Options struct {
	ID      string
	Created int64
	Model   string
	// InputTokens is our estimate, used if the upstream reports no usage.
	InputTokens int64
	// OutputRatio scales our estimate of the output tokens.
	OutputRatio tokens.Ratio
	// Choices is how many completions the client requested.
	Choices int
}

// Chat normalizes an upstream's chat completion: all required
// members are present, and unknown members are preserved.
//
// If the body reports an error, Chat returns the error of upstreamerror.ParseInBand.
// If the body contains no completion, it returns PROVIDER_INVALID_RESPONSE. If the body is
// an event stream instead of JSON, the events are collected into one response. If the body
// could be parsed, an error comes with a Response that contains the reported usage, because
// the upstream may charge for it. The Response does not share memory with the body.
func Chat(body []byte, o Options) (Response, error) {
	if sse.LooksLikeStream(body) {
		return Collect(sse.NewReader(io.NopCloser(bytes.NewReader(body))), o)
	}
	return buildChatResponse(body, o, nil)
}

// buildChatResponse implements Chat for a JSON body. If known is not
// nil, it is used instead of the usage in the body.
func buildChatResponse(body []byte, o Options, known *usagereport.Report) (Response, error) {
	c := chunkPool.Get().(*chunk)
	defer c.release()
	if err := c.parse(body); err != nil {
		return Response{}, err
	}
	u := &c.usage
	if known != nil {
		u = known
	}
	resp := reportedValues(u)
	if c.isError {
		return resp, upstreamerror.ParseInBand(c.errorBody(body))
	}
	if len(c.choices) == 0 {
		return resp, upstreamerror.InvalidResponse("no choices")
	}
	c.renumberIndexes()
	dst := o.appendResponseHead(newPooledBody(len(body) + 256))
	for i := range c.choices {
		if err := c.choices[i].validate(); err != nil {
			return resp, err
		}
		resp.OutputTextBytes += c.choices[i].message.textBytes
		dst = o.appendChoice(dst, &c.choices[i])
	}
	// A comma follows every choice. Replace the last comma with the closing bracket.
	dst[len(dst)-1] = ']'
	dst = append(dst, `,"usage":`...)
	dst = u.AppendJSON(dst, o.InputTokens, o.OutputRatio.Scale(tokens.EstimateFromLength(resp.OutputTextBytes)))
	dst = append(dst, c.extra...)
	resp.Body, resp.isPooled = append(dst, '}'), true
	return resp, nil
}

// chunkPool reuses the buffers of parsed responses.
var chunkPool = sync.Pool{New: func() any { return new(chunk) }}

// maxPooledResponse is the largest response whose chunk is put back into the pool.
const maxPooledResponse = 1 << 20

// release puts the chunk back into the pool, unless its buffers are large.
func (c *chunk) release() {
	small := len(c.Source()) <= maxPooledResponse
	c.ResetLimited(nil, true)
	if small {
		chunkPool.Put(c)
	}
}

// renumberIndexes numbers the choices of a complete response by position if two of them
// have the same index, or if an index is out of range.
func (c *chunk) renumberIndexes() {
	var seen [requestbody.MaxChoices]bool
	for i := range c.choices {
		if at := c.choices[i].index; at == invalidIndex || seen[at] {
			for i := range c.choices {
				c.choices[i].index = i
			}
			return
		}
		seen[c.choices[i].index] = true
	}
}

// validate returns an error if a choice of a complete response has no message,
// or if its finish reason reports an error.
func (ch *choice) validate() error {
	if ch.message.nameInitial == 0 {
		return upstreamerror.InvalidResponse("a choice has no message")
	}
	if mapFinishReason(ch.finishReason, noCalls) == finishError {
		return errEndedWithError()
	}
	return nil
}

// appendResponseHead appends the response up to the opening bracket of choices.
func (o Options) appendResponseHead(dst []byte) []byte {
	dst = jsonscan.AppendQuoted(append(dst, `{"id":`...), o.ID)
	dst = append(dst, `,"object":"chat.completion","created":`...)
	dst = strconv.AppendInt(dst, o.Created, 10)
	dst = append(dst, `,"model":`...)
	dst = jsonscan.AppendQuoted(dst, o.Model)
	return append(dst, `,"choices":[`...)
}

// appendChoice appends a choice, followed by a comma.
func (o Options) appendChoice(dst []byte, ch *choice) []byte {
	dst = append(dst, `{"index":`...)
	dst = strconv.AppendInt(dst, int64(ch.index), 10)
	dst = append(dst, `,"message":{"role":"assistant","content":`...)
	dst = appendOrDefault(dst, ch.message.content, "null")
	dst = append(dst, `,"refusal":`...)
	dst = appendOrDefault(dst, ch.message.refusal, "null")
	dst = append(dst, ch.message.extra...)
	if len(ch.message.calls) > 0 {
		dst = appendToolCalls(dst, ch.message.calls, callIDPrefix{o.ID, ch.index})
	}
	dst = append(dst, '}')
	dst = append(dst, ch.extra...)
	if !ch.hasLogprobs {
		dst = append(dst, `,"logprobs":null`...)
	}
	dst = append(dst, `,"finish_reason":`...)
	dst = jsonscan.AppendQuoted(dst, mapFinishReason(ch.finishReason, ch.message.callKind()))
	return append(dst, "},"...)
}

func appendToolCalls(dst []byte, calls []toolCall, prefix callIDPrefix) []byte {
	dst = append(dst, `,"tool_calls":[`...)
	for i := range calls {
		k := &calls[i]
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendIDAndType(append(dst, '{'), k, prefix.idOrDefault(jsonscan.DecodeText(k.id), i))
		dst = appendFunction(dst, k, k.name, emptyArguments)
		dst = append(dst, k.extra...)
		dst = append(dst, '}')
	}
	return append(dst, ']')
}

func appendOrDefault(dst, v []byte, defaultText string) []byte {
	if len(v) == 0 {
		return append(dst, defaultText...)
	}
	return append(dst, v...)
}

package openai

import (
	"bytes"
	"io"
	"strconv"
	"sync"

	"github.com/signalbox/signalbox/services/proxy/internal/tokens"
)

// AnswerOptions is what we put into an answer ourselves.
type AnswerOptions struct {
	ID      string
	Created int64
	Model   string
	// InputTokens is our estimate, shown if the upstream reports no usage.
	InputTokens int64
	// Output is what our estimate of the output is scaled by, if it is shown.
	Output tokens.Ratio
	// Choices is how many answers were asked for.
	Choices int
}

// ChatAnswer brings an upstream's chat completion into the form that every
// client understands, all required members present. What it does not know it
// leaves as it is. A body that says error returns it as *apperr.Error, mapped
// to a PROVIDER_ code; one that has no answer is PROVIDER_INVALID_RESPONSE. A
// body of events, which some upstreams call JSON, is collected. What it says it
// used is returned with an error too: it is paid for.
func ChatAnswer(body []byte, o AnswerOptions) (Answer, error) {
	if LooksLikeEvents(body) {
		return Collect(NewEvents(io.NopCloser(bytes.NewReader(body))), o)
	}
	return chatAnswer(body, o, nil)
}

// chatAnswer is ChatAnswer of a body whose usage is known otherwise, unless it
// is nil.
func chatAnswer(body []byte, o AnswerOptions, known *usage) (Answer, error) {
	c := chunks.Get().(*chunk)
	defer c.release()
	if err := c.parse(body); err != nil {
		return Answer{}, err
	}
	u := &c.usage
	if known != nil {
		u = known
	}
	a := u.answer()
	if c.failed {
		return a, InBandError(c.excuse(body))
	}
	if len(c.choices) == 0 {
		return a, invalidResponse("no choices")
	}
	c.renumber()
	a.Body = o.appendHead(make([]byte, 0, len(body)+256))
	for i := range c.choices {
		if err := c.choices[i].check(); err != nil {
			a.Body = nil
			return a, err
		}
		a.OutputText += c.choices[i].msg.text
		a.Body = o.appendChoice(a.Body, &c.choices[i])
	}
	// Every choice brought a comma, the last one too.
	a.Body[len(a.Body)-1] = ']'
	a.Body = append(a.Body, `,"usage":`...)
	a.Body = u.append(a.Body, o.InputTokens, o.Output.Of(tokens.OfBytes(a.OutputText)))
	a.Body = append(a.Body, c.extra...)
	a.Body = append(a.Body, '}')
	return a, nil
}

// chunks saves the buffers of one answer for the next.
var chunks = sync.Pool{New: func() any { return new(chunk) }}

// release gives the chunk back, unless what it read was large.
func (c *chunk) release() {
	small := len(c.src) <= maxPooled
	c.reset(nil, true)
	if small {
		chunks.Put(c)
	}
}

// renumber gives the choices of a whole answer their places for indices where
// two have the same.
func (c *chunk) renumber() {
	var seen [maxChoices]bool
	for i := range c.choices {
		if at := c.choices[i].index; seen[at] {
			for i := range c.choices {
				c.choices[i].index = i
			}
			return
		}
		seen[c.choices[i].index] = true
	}
}

// check tells whether a whole choice is one.
func (ch *choice) check() error {
	if ch.msg.seen == 0 {
		return invalidResponse("a choice without a message")
	}
	if finishReason(ch.finish, calledNothing) == finishError {
		return errBrokenOff()
	}
	return nil
}

func (o AnswerOptions) appendHead(dst []byte) []byte {
	dst = appendQuoted(append(dst, `{"id":`...), o.ID)
	dst = append(dst, `,"object":"chat.completion","created":`...)
	dst = strconv.AppendInt(dst, o.Created, 10)
	dst = append(dst, `,"model":`...)
	dst = appendQuoted(dst, o.Model)
	return append(dst, `,"choices":[`...)
}

// appendChoice writes a choice with a comma after it.
func (o AnswerOptions) appendChoice(dst []byte, ch *choice) []byte {
	dst = append(dst, `{"index":`...)
	dst = strconv.AppendInt(dst, int64(ch.index), 10)
	dst = append(dst, `,"message":{"role":"assistant","content":`...)
	dst = appendOr(dst, ch.msg.content, "null")
	dst = append(dst, `,"refusal":`...)
	dst = appendOr(dst, ch.msg.refusal, "null")
	dst = append(dst, ch.msg.extra...)
	if len(ch.msg.calls) > 0 {
		dst = o.appendCalls(dst, ch.msg.calls)
	}
	dst = append(dst, '}')
	dst = append(dst, ch.extra...)
	if !ch.logprobs {
		dst = append(dst, `,"logprobs":null`...)
	}
	dst = append(dst, `,"finish_reason":`...)
	dst = appendQuoted(dst, finishReason(ch.finish, ch.msg.called()))
	return append(dst, "},"...)
}

func (o AnswerOptions) appendCalls(dst []byte, calls []call) []byte {
	dst = append(dst, `,"tool_calls":[`...)
	for i := range calls {
		k := &calls[i]
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendIdentity(append(dst, '{'), k, callID(o.ID, text(k.id), i))
		dst = appendFunction(dst, k, k.name, noArguments)
		dst = append(dst, k.extra...)
		dst = append(dst, '}')
	}
	return append(dst, ']')
}

func appendOr(dst, v []byte, otherwise string) []byte {
	if len(v) == 0 {
		return append(dst, otherwise...)
	}
	return append(dst, v...)
}

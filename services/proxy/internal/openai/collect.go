package openai

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// maxCollected bounds what Collect holds in memory, as the reader of plain
// answers is bounded.
const maxCollected = 32 << 20

// events is the part of a provider's stream that Collect needs.
type events interface {
	Next() ([]byte, error)
}

// Collect makes a plain answer of a stream, for an upstream that streams to a
// client that did not ask for it. It reads to the end and does not close.
// Errors are those of Event, Finish and Next.
func Collect(src events, o AnswerOptions) (Answer, error) {
	s := NewStream(StreamOptions{ID: o.ID, Created: o.Created, Model: o.Model})
	var all gathered
	var frames []byte
	for {
		payload, err := src.Next()
		if errors.Is(err, io.EOF) || errors.Is(err, ErrNoDone) {
			break
		}
		if err != nil {
			return Answer{}, err
		}
		if frames, err = s.Event(frames[:0], payload); err != nil {
			return Answer{}, err
		}
		if err := all.add(frames); err != nil {
			return Answer{}, err
		}
	}
	if _, err := s.Finish(nil); err != nil {
		return Answer{}, err
	}
	return ChatAnswer(all.body(&s.usage), o)
}

// gathered puts together the frames that a Stream has put in order.
type gathered struct {
	chunk   chunk
	choices []whole
	extra   []byte
	size    int
}

// whole is one choice so far.
type whole struct {
	message object
	calls   []wholeCall
	finish  jsontext.Value
}

type wholeCall struct{ outer, function object }

func (g *gathered) add(frames []byte) error {
	if g.size += len(frames); g.size > maxCollected {
		return invalidResponse("a stream longer than 32 MiB for a plain answer")
	}
	for frame := range bytes.SplitSeq(frames, []byte("\n\n")) {
		if len(frame) == 0 {
			continue
		}
		if err := g.chunk.parse(bytes.TrimPrefix(frame, []byte("data: "))); err != nil {
			return err
		}
		g.extra = append(g.extra[:0], g.chunk.extra...)
		for i := range g.chunk.choices {
			if err := g.choice(&g.chunk.choices[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

func (g *gathered) choice(ch *choice) error {
	for len(g.choices) <= ch.index {
		g.choices = append(g.choices, whole{})
	}
	w := &g.choices[ch.index]
	w.message.join(`"content"`, ch.msg.content)
	w.message.join(`"refusal"`, ch.msg.refusal)
	w.message.joinAll(ch.msg.extra)
	for i := range ch.msg.calls {
		if err := w.call(&ch.msg.calls[i]); err != nil {
			return err
		}
	}
	if !isNull(ch.finish) {
		w.finish = bytes.Clone(ch.finish)
	}
	return w.message.check()
}

func (w *whole) call(k *call) error {
	for len(w.calls) <= k.index {
		w.calls = append(w.calls, wholeCall{})
	}
	c := &w.calls[k.index]
	c.outer.join(`"id"`, k.id)
	c.outer.join(`"type"`, k.kind)
	c.outer.joinAll(k.extra)
	c.function.join(`"name"`, k.name)
	c.function.join(`"arguments"`, k.args)
	c.function.joinAll(k.inside)
	return cmp.Or(c.outer.check(), c.function.check())
}

// body writes all of it as an upstream would have.
func (g *gathered) body(u *usage) []byte {
	dst := []byte(`{"choices":[`)
	for i := range g.choices {
		dst = g.choices[i].append(dst, i)
	}
	dst = append(bytes.TrimSuffix(dst, []byte(",")), ']')
	if u.seen {
		dst = u.append(append(dst, `,"usage":`...), 0, 0)
	}
	return append(append(dst, g.extra...), '}')
}

func (w *whole) append(dst []byte, index int) []byte {
	dst = append(dst, `{"index":`...)
	dst = strconv.AppendInt(dst, int64(index), 10)
	dst = append(dst, `,"finish_reason":`...)
	dst = appendOr(dst, w.finish, "null")
	if len(w.calls) > 0 {
		w.message.join(`"tool_calls"`, appendCalls(nil, w.calls))
	}
	dst = append(dst, `,"message":`...)
	dst = w.message.append(dst)
	return append(dst, "},"...)
}

func appendCalls(dst []byte, calls []wholeCall) []byte {
	dst = append(dst, '[')
	for _, c := range calls {
		if len(c.function) > 0 {
			c.outer.join(`"function"`, c.function.append(nil))
		}
		dst = append(c.outer.append(dst), ',')
	}
	dst[len(dst)-1] = ']'
	return dst
}

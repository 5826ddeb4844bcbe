package openai

import (
	"bytes"
	"cmp"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// gathered puts together the frames that a Stream has put in order.
type gathered struct {
	chunk   chunk
	choices []whole
	extra   object
	size    int
}

// whole is one choice so far.
type whole struct {
	message object
	calls   []wholeCall
	finish  jsontext.Value
	// extra has the members that we do not interpret, but for logprobs.
	extra, logprobs object
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
		each(g.chunk.extra, g.extra.set)
		if err := g.extra.check(); err != nil {
			return err
		}
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
	each(ch.msg.extra, w.message.join)
	each(ch.extra, w.member)
	for i := range ch.msg.calls {
		if err := w.call(&ch.msg.calls[i]); err != nil {
			return err
		}
	}
	if !isNull(ch.finish) {
		w.finish = bytes.Clone(ch.finish)
	}
	return cmp.Or(w.message.check(), w.extra.check(), w.logprobs.check())
}

// member takes one that we do not interpret: the last one counts, but of
// logprobs every chunk has those of its own words.
func (w *whole) member(rawName string, v jsontext.Value) {
	if rawName != `"logprobs"` || len(v) == 0 || v[0] != '{' {
		w.extra.set(rawName, v)
		return
	}
	each(append([]byte{','}, bytes.TrimSpace(v[1:len(v)-1])...), w.logprobs.join)
}

func (w *whole) call(k *call) error {
	for len(w.calls) <= k.index {
		w.calls = append(w.calls, wholeCall{})
	}
	c := &w.calls[k.index]
	c.outer.join(`"id"`, k.id)
	c.outer.join(`"type"`, k.kind)
	each(k.extra, c.outer.join)
	c.function.join(`"name"`, k.name)
	c.function.join(`"arguments"`, k.args)
	each(k.inside, c.function.join)
	return cmp.Or(c.outer.check(), c.function.check())
}

// body writes all of it as an upstream would have, but for usage.
func (g *gathered) body() []byte {
	dst := []byte(`{"choices":[`)
	for i := range g.choices {
		dst = g.choices[i].append(dst, i)
	}
	dst = append(bytes.TrimSuffix(dst, []byte(",")), ']')
	return append(g.extra.appendMembers(dst), '}')
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
	if len(w.logprobs) > 0 {
		w.extra.set(`"logprobs"`, w.logprobs.append(nil))
	}
	return append(w.extra.appendMembers(dst), "},"...)
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

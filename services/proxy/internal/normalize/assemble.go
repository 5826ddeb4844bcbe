package normalize

import (
	"bytes"
	"cmp"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/pkg/jsonscan"
	"github.com/signalbox/signalbox/services/proxy/internal/upstreamerror"
)

// responseAssembler joins the frames of a Stream into one response. Frames are the
// server-sent events that a Stream writes for clients.
type responseAssembler struct {
	chunk   chunk
	choices []assembledChoice
	extra   objectBuilder
	size    int
}

// assembledChoice is one choice as received so far.
type assembledChoice struct {
	message      objectBuilder
	calls        []assembledCall
	finishReason jsontext.Value
	// extra holds the members that we do not interpret, except logprobs.
	extra, logprobs objectBuilder
}

// assembledCall is one tool call. outer holds all members except the function.
type assembledCall struct{ outer, function objectBuilder }

func (g *responseAssembler) addFrames(frames []byte) error {
	if g.size += len(frames); g.size > maxCollected {
		return upstreamerror.InvalidResponse("the stream is longer than 32 MiB")
	}
	for frame := range bytes.SplitSeq(frames, []byte("\n\n")) {
		if len(frame) == 0 {
			continue
		}
		if err := g.chunk.parse(bytes.TrimPrefix(frame, []byte("data: "))); err != nil {
			return err
		}
		forEachMember(g.chunk.extra, g.extra.set)
		if err := g.extra.checkSize(); err != nil {
			return err
		}
		for i := range g.chunk.choices {
			if err := g.addChoice(&g.chunk.choices[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

func (g *responseAssembler) addChoice(ch *choice) error {
	for len(g.choices) <= ch.index {
		g.choices = append(g.choices, assembledChoice{})
	}
	w := &g.choices[ch.index]
	w.message.join(`"content"`, ch.message.content)
	w.message.join(`"refusal"`, ch.message.refusal)
	forEachMember(ch.message.extra, w.message.join)
	forEachMember(ch.extra, w.addMember)
	for i := range ch.message.calls {
		if err := w.addToolCall(&ch.message.calls[i]); err != nil {
			return err
		}
	}
	if !jsonscan.IsNull(ch.finishReason) {
		w.finishReason = bytes.Clone(ch.finishReason)
	}
	return cmp.Or(w.message.checkSize(), w.extra.checkSize(), w.logprobs.checkSize())
}

// addMember adds a member that we do not interpret. A later value replaces an earlier
// one. Logprobs are joined instead, because each chunk has the logprobs of its own text.
func (w *assembledChoice) addMember(rawName string, v jsontext.Value) {
	if rawName != `"logprobs"` || len(v) == 0 || v[0] != '{' {
		w.extra.set(rawName, v)
		return
	}
	forEachMember(append([]byte{','}, bytes.TrimSpace(v[1:len(v)-1])...), w.logprobs.join)
}

func (w *assembledChoice) addToolCall(k *toolCall) error {
	for len(w.calls) <= k.index {
		w.calls = append(w.calls, assembledCall{})
	}
	c := &w.calls[k.index]
	c.outer.join(`"id"`, k.id)
	c.outer.join(`"type"`, k.kind)
	forEachMember(k.extra, c.outer.join)
	c.function.join(`"name"`, k.name)
	c.function.join(`"arguments"`, k.args)
	forEachMember(k.functionExtra, c.function.join)
	return cmp.Or(c.outer.checkSize(), c.function.checkSize())
}

// encodeBody returns the response in the form of an upstream's body, without usage.
func (g *responseAssembler) encodeBody() []byte {
	dst := []byte(`{"choices":[`)
	for i := range g.choices {
		dst = g.choices[i].appendJSON(dst, i)
	}
	dst = append(bytes.TrimSuffix(dst, []byte(",")), ']')
	return append(g.extra.appendMembers(dst), '}')
}

func (w *assembledChoice) appendJSON(dst []byte, index int) []byte {
	dst = append(dst, `{"index":`...)
	dst = strconv.AppendInt(dst, int64(index), 10)
	dst = append(dst, `,"finish_reason":`...)
	dst = appendOrDefault(dst, w.finishReason, "null")
	if len(w.calls) > 0 {
		w.message.join(`"tool_calls"`, appendAssembledCalls(nil, w.calls))
	}
	dst = append(dst, `,"message":`...)
	dst = w.message.appendJSON(dst)
	if len(w.logprobs) > 0 {
		w.extra.set(`"logprobs"`, w.logprobs.appendJSON(nil))
	}
	return append(w.extra.appendMembers(dst), "},"...)
}

func appendAssembledCalls(dst []byte, calls []assembledCall) []byte {
	dst = append(dst, '[')
	for _, c := range calls {
		if len(c.function) > 0 {
			c.outer.join(`"function"`, c.function.appendJSON(nil))
		}
		dst = append(c.outer.appendJSON(dst), ',')
	}
	dst[len(dst)-1] = ']'
	return dst
}

package gemini

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/jsonscan"
	"github.com/signalbox/signalbox/services/proxy/internal/inbound"
	"github.com/signalbox/signalbox/services/proxy/internal/upstreamerror"
)

// stream translates the chunks of one response into Google's frames. Text is sent at once.
// Function calls are sent whole, when the choice has finished. The finish reason and the usage
// are in the last frame.
type stream struct {
	responder *responder
	options   inbound.Options
	frames    frameWriter
	choices   []streamedChoice
	usage     jsontext.Value
	// parts is the buffer for the parts of one candidate.
	parts jsonWriter
}

// streamedChoice is the state of one choice.
type streamedChoice struct {
	started      bool
	calls        []functionCall
	reasoning    reasoningBuffer
	finishReason string
	citations    jsonWriter
	// signature is sent with the last frame.
	signature []byte
}

// maxChoices is the maximum number of choices in the chat format.
const maxChoices = 128

// NewStream returns the translator of one stream.
func (r *responder) NewStream(o inbound.Options) inbound.Stream {
	return &stream{responder: r, options: o, frames: frameWriter{array: r.array}}
}

// AppendChunk appends at most one frame.
func (s *stream) AppendChunk(dst, chunk []byte) ([]byte, error) {
	var choices, usage jsontext.Value
	for name, v := range jsonscan.Members(chunk) {
		switch string(name) {
		case "choices":
			choices = v
		case "usage":
			usage = v
		}
	}
	if choices == nil {
		return dst, upstreamerror.InvalidResponse("no choices")
	}
	if isObject(usage) {
		s.usage = bytes.Clone(usage)
	}
	var candidates jsonWriter
	for choice := range jsonscan.Elements(choices) {
		s.addChoice(&candidates, choice)
	}
	if candidates.isEmpty() {
		return dst, nil
	}
	return s.appendFrame(dst, &candidates, nil), nil
}

// appendFrame appends a frame. usage is nil except in the last frame.
func (s *stream) appendFrame(dst []byte, candidates *jsonWriter, usage jsontext.Value) []byte {
	dst = s.frames.appendStart(dst)
	from := len(dst)
	w := jsonWriter{buf: append(dst, '{')}
	w.array("candidates", candidates)
	writeUsage(&w, usage)
	writeTrailer(&w, s.options)
	w.close("}")
	return s.frames.appendFinish(w.buf, from)
}

// addChoice adds the candidate for a choice of a chunk, unless it has nothing to show.
func (s *stream) addChoice(w *jsonWriter, choice jsontext.Value) {
	index := choiceIndex(choice)
	if index < 0 || index >= maxChoices {
		return
	}
	for int64(len(s.choices)) <= index {
		s.choices = append(s.choices, streamedChoice{})
	}
	c := &s.choices[index]
	c.started = true
	m := parseMessage(jsonscan.Member(choice, "delta"))
	s.parts.buf = s.parts.buf[:0]
	s.addDelta(c, &m)
	if finish := jsonscan.Member(choice, "finish_reason"); jsonscan.IsString(finish) {
		c.finishReason = toFinishReason(finish)
		s.flushCalls(c)
	}
	var logprobs jsonWriter
	writeLogprobs(&logprobs, jsonscan.Member(choice, "logprobs"))
	if s.parts.isEmpty() && logprobs.isEmpty() {
		return
	}
	w.open('{')
	writeContent(w, &s.parts)
	w.key("index").number(index)
	if !logprobs.isEmpty() {
		w.raw(logprobs.buf)
	}
	w.close("}")
}

// addDelta writes the parts of a delta, and stores what is sent later.
func (s *stream) addDelta(c *streamedChoice, m *messageFields) {
	c.reasoning.addText(m.reasoning)
	c.reasoning.addDetails(m.details)
	if s.responder.includeThoughts && !lacksText(m.reasoning) {
		writeTextPart(&s.parts, m.reasoning, true)
	}
	for _, text := range []jsontext.Value{m.content, m.refusal} {
		if !lacksText(text) {
			writeTextPart(&s.parts, text, false)
		}
	}
	writeImageParts(&s.parts, m.images)
	addCitations(&c.citations, m.annotations)
	c.addCallFragments(m)
}

// flushCalls writes the calls of a choice that has finished.
func (s *stream) flushCalls(c *streamedChoice) {
	if signature := c.reasoning.takeSignature(c.calls); len(signature) > 0 {
		c.signature = signature
	}
	for i := range c.calls {
		s.responder.writeCallPart(&s.parts, &c.calls[i])
	}
	c.calls, c.reasoning = nil, reasoningBuffer{}
}

// AppendEnd appends the last frame.
func (s *stream) AppendEnd(dst []byte) []byte {
	var candidates jsonWriter
	for index := range s.choices {
		if c := &s.choices[index]; c.started {
			s.writeLastCandidate(&candidates, c, int64(index))
		}
	}
	if !candidates.isEmpty() {
		dst = s.appendFrame(dst, &candidates, s.usage)
	}
	return s.frames.appendEnd(dst)
}

func (s *stream) writeLastCandidate(w *jsonWriter, c *streamedChoice, index int64) {
	s.parts.buf = s.parts.buf[:0]
	s.flushCalls(c)
	switch {
	case len(c.signature) > 0:
		addSignature(&s.parts, c.signature)
	case s.parts.isEmpty():
		writeTextPart(&s.parts, jsontext.Value(`""`), false)
	}
	if c.finishReason == "" {
		c.finishReason = "STOP"
	}
	w.open('{')
	writeContent(w, &s.parts)
	w.key("finishReason").text(c.finishReason)
	w.key("index").number(index)
	writeCitations(w, &c.citations)
	w.close("}")
}

// AppendError appends the error that ends a broken stream.
func (s *stream) AppendError(dst []byte, e *apperr.Error, o apperr.Options) []byte {
	return s.frames.appendError(dst, e, o)
}

package openai

import (
	"bytes"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/services/proxy/internal/tokens"
)

// StreamOptions is what all chunks of a stream have in common.
type StreamOptions struct {
	ID      string
	Created int64
	Model   string
	// IncludeUsage is whether the client asked for usage.
	IncludeUsage bool
	// InputTokens is our estimate, shown if the upstream reports no usage.
	InputTokens int64
	// Output is what our estimate of the output is scaled by, if it is shown.
	Output tokens.Ratio
	// Choices is how many answers were asked for.
	Choices int
	// Transcript keeps what the stream says; without one nothing is kept.
	Transcript *Transcript
}

// Stream brings the events of one upstream into the form that every client
// understands: one id, a role first, tool calls with index, id, type and name
// exactly once, known finish reasons, usage only where asked for and then at
// the end. What it does not know it leaves as it is. It is for one goroutine.
type Stream struct {
	options StreamOptions
	head    []byte
	chunk   chunk
	states  []state
	usage   usage
	pattern pattern
	started bool
	done    bool
	text    int
	// textAt is where the text stands in the frame written last.
	textAt int
}

// NewStream starts a stream.
func NewStream(o StreamOptions) *Stream {
	head := appendQuoted([]byte(`data: {"id":`), o.ID)
	head = append(head, `,"object":"chat.completion.chunk","created":`...)
	head = strconv.AppendInt(head, o.Created, 10)
	head = append(head, `,"model":`...)
	s := &Stream{options: o, head: appendQuoted(head, o.Model), chunk: chunk{streamed: true}}
	if o.Transcript != nil {
		o.Transcript.begin(s)
	}
	return s
}

// Started tells whether anything but a role has come: from then on the answer
// belongs to the client.
func (s *Stream) Started() bool { return s.started }

// Counted tells whether all of the usage has come.
func (s *Stream) Counted() bool { return s.usage.split() && !s.usage.half() }

// Usage is what the upstream reported; nil if nothing so far.
func (s *Stream) Usage() *catalog.Usage { return s.usage.buckets() }

// Reported is an answer of which only what the upstream reports is set: usage,
// by how much its total differs, and money.
func (s *Stream) Reported() Answer { return s.usage.answer() }

// OutputText is about how many bytes of text were delivered, reasoning and the
// arguments of tool calls included.
func (s *Stream) OutputText() int { return s.text }

// Event appends the complete frames, none or more, that one event of the
// upstream becomes. A whole answer instead of a chunk is taken too, so that a
// plain answer can be given to a client that asked for a stream. An event that
// says error returns it as *apperr.Error, mapped to a PROVIDER_ code; one that
// cannot be read is PROVIDER_INVALID_RESPONSE. With an error dst comes back
// as it was.
func (s *Stream) Event(dst, payload []byte) ([]byte, error) {
	// What follows the pattern has no line breaks.
	if v := s.pattern.text(payload); v != nil {
		return s.repeat(dst, v), nil
	}
	payload = oneLine(payload)
	c := &s.chunk
	if err := c.parse(payload); err != nil {
		return dst, err
	}
	if c.failed {
		return dst, InBandError(c.excuse(payload))
	}
	// A chunk without choices is shown only for a vendor's member in it: code
	// that takes the first choice unasked is common, and usage comes later.
	show := c.vendor && len(c.choices) == 0 && !c.usage.seen
	repeats := s.repeats()
	start := len(dst)
	dst, err := s.frames(dst, show)
	s.count()
	switch {
	case err == nil && repeats:
		s.learn(dst[start:], s.textAt-start)
	case s.silent():
		s.pattern.forget()
	}
	return dst, err
}

// count takes the usage of the event just parsed. Zeros before the end only
// say that nothing has been counted yet, and afterwards unsay nothing.
func (s *Stream) count() {
	c := &s.chunk
	if c.usage.split() && (!c.usage.zero() || !s.usage.seen && s.ended()) {
		s.usage, c.usage = c.usage, s.usage
	}
}

// repeat appends the frame of an event that follows the pattern, which by that
// is not the first one with text.
func (s *Stream) repeat(dst []byte, v jsontext.Value) []byte {
	s.text += s.pattern.rest + textLen(v)
	if t := s.options.Transcript; t != nil {
		c := t.choice(s.pattern.index)
		c.content = t.text(c.content, v)
	}
	dst = append(dst, s.pattern.head...)
	dst = append(dst, v...)
	return append(dst, s.pattern.tail...)
}

// Done notes that the upstream has said [DONE]: choices that have not begun by
// then will not.
func (s *Stream) Done() { s.done = true }

// Finish appends what ends a stream: usage if the client asked for it, then
// [DONE]. Without a finish reason the answer is cut short: that is
// PROVIDER_STREAM_INTERRUPTED, whether or not the upstream said [DONE].
func (s *Stream) Finish(dst []byte) ([]byte, error) {
	start, started := len(dst), s.started
	dst = s.appendUnsaid(dst)
	if !s.Finished() && (!s.done || !s.ended()) {
		s.started = started
		return dst[:start], apperr.New(apperr.ProviderInterrupted, "the provider's stream ended before the answer did").
			With("reason", "no finish_reason").With("partial", s.started)
	}
	if s.options.IncludeUsage {
		dst = append(dst, s.head...)
		dst = append(dst, `,"choices":[],"usage":`...)
		dst = s.usage.append(dst, s.options.InputTokens, s.options.Output.Of(tokens.OfBytes(s.text)))
		dst = append(dst, "}\n\n"...)
	}
	return append(dst, doneFrame...), nil
}

// doneFrame is the last of every stream.
const doneFrame = "data: [DONE]\n\n"

// Finished tells whether every choice that was asked for, and every one that
// began, has ended: what may still come is usage and [DONE].
func (s *Stream) Finished() bool {
	open, finished := s.tally()
	return open == 0 && finished >= max(1, s.options.Choices)
}

// ended tells whether every choice that began has ended.
func (s *Stream) ended() bool {
	open, finished := s.tally()
	return open == 0 && finished > 0
}

func (s *Stream) tally() (open, finished int) {
	for i := range s.states {
		switch st := &s.states[i]; {
		case st.finished():
			finished++
		case st.begun:
			open++
		}
	}
	return open, finished
}

// oneLine takes out the line breaks, which in JSON can only be white space: a
// frame must be one line.
func oneLine(payload []byte) []byte {
	if bytes.IndexByte(payload, '\n') < 0 && bytes.IndexByte(payload, '\r') < 0 {
		return payload
	}
	return bytes.Map(func(r rune) rune {
		if r == '\n' || r == '\r' {
			return ' '
		}
		return r
	}, payload)
}

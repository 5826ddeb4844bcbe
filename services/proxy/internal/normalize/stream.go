package normalize

import (
	"bytes"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/jsonscan"
	"github.com/signalbox/signalbox/pkg/tokens"
	"github.com/signalbox/signalbox/services/proxy/internal/upstreamerror"
	"github.com/signalbox/signalbox/services/proxy/internal/usagereport"
)

// StreamOptions configures a Stream. Every frame contains ID, Created and Model.
type StreamOptions struct {
	ID      string
	Created int64
	Model   string
	// IncludeUsage is set if the client requests usage.
	IncludeUsage bool
	// InputTokens is our estimate, used if the upstream reports no usage.
	InputTokens int64
	// OutputRatio scales our estimate of the output tokens.
	OutputRatio tokens.Ratio
	// Choices is how many completions the client requested.
	Choices int
	// Transcript records the output of the stream, unless it is nil.
	Transcript *Transcript
}

// Stream normalizes the events of one upstream response and writes them as frames, the
// server-sent events that our clients receive. All frames have the same id. The role comes
// first. The id and type of each tool call are sent exactly once, and each fragment has an
// index. Finish reasons are those that clients expect, and each choice has one, in its last
// frame. Usage is sent only on
// request, at the end. Unknown members are preserved. Use a Stream from one goroutine.
type Stream struct {
	options StreamOptions
	head    []byte
	// chunk is the parsed chunk. Its values are slices of payload.
	chunk        chunk
	payload      []byte
	states       []choiceState
	usage        usagereport.Report
	pattern      framePattern
	started      bool
	doneReceived bool
	textBytes    int
	// carried holds members of chunks without choices, for the next frame.
	carried carriedMembers
	// held is the chunk that completes the response.
	held heldChunk
	// beyond holds chunks of choices that the client did not request. onlyIndex is the
	// upstream's index of the only choice, if it is not 0.
	beyond    choicesBeyond
	onlyIndex int
	// textOffset is the offset of the text in the most recent frame.
	textOffset int
}

// NewStream returns a Stream for one upstream response. Call Release after use.
func NewStream(o StreamOptions) *Stream {
	s := streamPool.Get().(*Stream) //nolint:forcetypeassert // nothing else is stored
	head := jsonscan.AppendQuoted(append(s.head[:0], `data: {"id":`...), o.ID)
	head = append(head, `,"object":"chat.completion.chunk","created":`...)
	head = strconv.AppendInt(head, o.Created, 10)
	head = append(head, `,"model":`...)
	s.options, s.head = o, jsonscan.AppendQuoted(head, o.Model)
	s.chunk.isStreamed, s.held.chunk.isStreamed = true, true
	if o.Transcript != nil {
		o.Transcript.reset(s)
	}
	return s
}

// HasStarted reports whether the upstream has sent more than a role. From then on
// another upstream cannot take over the response.
func (s *Stream) HasStarted() bool { return s.started }

// HasCompleteUsage reports whether input and output usage have arrived.
func (s *Stream) HasCompleteUsage() bool { return s.usage.HasInputOrOutput() && !s.usage.IsInputOnly() }

// Usage returns the usage that the upstream has reported so far, or nil.
func (s *Stream) Usage() *catalog.Usage { return s.usage.Buckets() }

// ReportedValues returns a Response with only the values that the upstream reported:
// usage, its discrepancy, and cost.
func (s *Stream) ReportedValues() Response { return reportedValues(&s.usage) }

// OutputTextBytes returns the approximate length of the delivered text, including
// reasoning and the arguments of tool calls.
func (s *Stream) OutputTextBytes() int { return s.textBytes }

// AppendEvent appends the frames for one event of the upstream. There may be none: an empty
// payload is a heartbeat, and every frame has a choice, because much client code reads the
// first choice without checking. The event may also be a complete response instead of a
// chunk. So a plain response can be sent to a client that requested a stream.
//
// If the event reports an error, AppendEvent returns the error of upstreamerror.ParseInBand. If the
// event cannot be parsed, it returns PROVIDER_INVALID_RESPONSE. In both cases it appends only
// what it has held.
func (s *Stream) AppendEvent(dst, payload []byte) ([]byte, error) {
	if len(payload) == 0 {
		return dst, nil
	}
	// Events that match the pattern contain no line breaks.
	if v := s.pattern.matchText(payload); v != nil {
		return s.appendPatternFrame(dst, v), nil
	}
	// The caller reuses its memory, but hold needs the chunk after this call.
	s.payload = append(s.payload[:0], ReplaceLineBreaks(payload)...)
	payload = s.payload
	c := &s.chunk
	if err := c.parse(payload); err != nil {
		return s.appendHeldBefore(dst, err)
	}
	if c.isError {
		return s.appendHeldBefore(dst, upstreamerror.ParseInBand(c.errorBody(payload)))
	}
	first := c.firstIndex()
	s.selectChoices(c)
	if len(c.choices) == 0 {
		if len(s.states) == 0 {
			s.beyond.add(first, payload)
		}
		s.carried.addFrom(c)
		s.updateUsage()
		return dst, nil
	}
	return s.appendOrHold(dst)
}

// appendOrHold appends the frames of the parsed chunk, or holds the chunk if it completes the
// response.
func (s *Stream) appendOrHold(dst []byte) ([]byte, error) {
	if s.chunk.removeChoices(s.isRepeatedEnd); len(s.chunk.choices) == 0 {
		s.updateUsage()
		return dst, nil
	}
	dst, err := s.appendHeld(dst, s.chunk.choices)
	if err != nil {
		return dst, err
	}
	if s.completesResponse() {
		return dst, s.hold()
	}
	canBecomePattern := s.canBecomePattern()
	start := len(dst)
	dst, err = s.appendFrames(dst, &s.chunk)
	s.updateUsage()
	switch {
	case err == nil && canBecomePattern:
		s.learnPattern(dst[start:], s.textOffset-start)
	case s.mayHaveEnded():
		s.pattern.forget()
	}
	return dst, err
}

// updateUsage stores the usage of the event just parsed. A usage of zero counts only
// after the choices have finished, and never replaces an earlier usage.
func (s *Stream) updateUsage() {
	c := &s.chunk
	if c.usage.HasInputOrOutput() && (!c.usage.IsZero() || !s.usage.IsReported() && s.allStartedFinished()) {
		s.usage, c.usage = c.usage, s.usage
	}
}

// appendPatternFrame appends the frame of an event that matches the pattern. The stream
// has already started, so s.started need not be set.
func (s *Stream) appendPatternFrame(dst []byte, v jsontext.Value) []byte {
	s.textBytes += s.pattern.otherBytes + jsonscan.DecodedLen(v)
	if t := s.options.Transcript; t != nil {
		c := t.choiceAt(s.pattern.index)
		c.content = t.appendText(c.content, v)
	}
	dst = append(dst, s.pattern.head...)
	dst = append(dst, v...)
	return append(dst, s.pattern.tail...)
}

// MarkDone records that the upstream has sent [DONE]. Choices that have not
// started by then will not start.
func (s *Stream) MarkDone() { s.doneReceived = true }

// Finish appends the end of the stream: usage if the client requested it, then
// [DONE]. If the finish reason is missing, the response is incomplete and Finish
// returns PROVIDER_STREAM_INTERRUPTED, even if the upstream sent [DONE].
func (s *Stream) Finish(dst []byte) ([]byte, error) {
	dst, err := s.appendBeyond(dst)
	if err != nil {
		return dst, err
	}
	if dst, err = s.appendHeld(dst, nil); err != nil {
		return dst, err
	}
	start, started := len(dst), s.started
	dst = s.appendImpliedFinishes(dst)
	if !s.IsFinished() && (!s.doneReceived || !s.allStartedFinished()) {
		s.started = started
		return dst[:start], apperr.New(apperr.ProviderInterrupted, "the provider's stream ended before the response was complete").
			With("reason", "no finish_reason").With("partial", s.started)
	}
	if s.options.IncludeUsage {
		dst = append(dst, s.head...)
		dst = s.carried.members.appendMembers(dst)
		dst = append(dst, `,"choices":[],"usage":`...)
		dst = s.usage.AppendJSON(dst, s.options.InputTokens, s.options.OutputRatio.Scale(tokens.EstimateFromLength(s.textBytes)))
		dst = append(dst, "}\n\n"...)
	}
	return append(dst, doneFrame...), nil
}

// doneFrame ends every stream.
const doneFrame = "data: [DONE]\n\n"

// IsFinished reports whether all requested and all started choices have finished.
// After that only usage and [DONE] may follow.
func (s *Stream) IsFinished() bool {
	open, finished := s.countChoices()
	return open == 0 && finished >= max(1, s.options.Choices)
}

// allStartedFinished reports whether at least one choice has finished and no
// started choice is open.
func (s *Stream) allStartedFinished() bool {
	open, finished := s.countChoices()
	return open == 0 && finished > 0
}

// countChoices counts the open choices and the finished choices.
func (s *Stream) countChoices() (open, finished int) {
	for i := range s.states {
		switch st := &s.states[i]; {
		case st.isFinished():
			finished++
		case st.started:
			open++
		}
	}
	return open, finished
}

// ReplaceLineBreaks replaces line breaks with blanks, because a frame must be one
// line. In valid JSON, line breaks occur only as white space.
func ReplaceLineBreaks(payload []byte) []byte {
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

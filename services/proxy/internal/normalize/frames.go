package normalize

import (
	"bytes"
	"iter"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/pkg/jsonscan"
)

// Chunks returns the JSON of each frame, without the frame that ends a stream. frames are
// complete frames of a Stream, whose JSON contains no line breaks.
func Chunks(frames []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for len(frames) > len(framePrefix) {
			end := bytes.IndexByte(frames, '\n')
			chunk := frames[len(framePrefix):end]
			frames = frames[end+len(frameEnd):]
			if chunk[0] == '{' && !yield(chunk) {
				return
			}
		}
	}
}

const (
	framePrefix = "data: "
	frameEnd    = "\n\n"
)

// choiceState describes how much of one choice has been sent.
type choiceState struct {
	started, hasFunctionCall bool
	// emptyFinish is set if a chunk had only an empty finish reason, and no content came
	// after that chunk.
	emptyFinish bool
	// finishReason is the finish reason, once the upstream has sent one. finishSent is set
	// once a frame contains it.
	finishReason string
	finishSent   bool
	// continues is set while the held chunk is written because more content follows.
	continues bool
	calls     []trackedCall
}

func (st *choiceState) isFinished() bool { return st.finishReason != "" }

// endsWith reports whether the frame of ch is the last one of the choice.
func (st *choiceState) endsWith(ch *choice) bool {
	return (st.isFinished() || ch.hasFinishReason()) && !st.continues && !st.finishSent
}

// appendFrames appends the frames of a parsed chunk: a role frame for each
// choice that needs one, then the chunk itself. A chunk without any output is
// skipped. If it fails, it returns dst unchanged.
func (s *Stream) appendFrames(dst []byte, c *chunk) ([]byte, error) {
	start := len(dst)
	for i := range c.choices {
		dst = s.appendRoleFrame(dst, c.choices[i].index, jsonscan.IsBlank(c.choices[i].message.role))
	}
	frame := len(dst)
	dst = append(dst, s.head...)
	dst = s.carried.appendWith(dst, c.extra)
	dst = append(dst, `,"choices":[`...)
	empty := len(dst)
	for i := range c.choices {
		var err error
		if dst, err = s.appendChoice(dst, &c.choices[i]); err != nil {
			return dst[:start], err
		}
	}
	if len(dst) == empty {
		return dst[:frame], nil
	}
	s.carried.clear()
	return s.closeFrame(append(bytes.TrimSuffix(dst, []byte(",")), ']')), nil
}

// appendRoleFrame appends a frame with the role for a choice whose first chunk has no
// role. Several client libraries fail or lose data if the role does not come first.
func (s *Stream) appendRoleFrame(dst []byte, index int, needed bool) []byte {
	if !needed || s.stateOf(index).started {
		return dst
	}
	s.stateOf(index).started = true
	dst = append(dst, s.head...)
	dst = append(dst, `,"choices":[{"index":`...)
	dst = strconv.AppendInt(dst, int64(index), 10)
	dst = append(dst, `,"delta":{"role":"assistant","content":""},"logprobs":null,"finish_reason":null}]`...)
	return s.closeFrame(dst)
}

func (s *Stream) closeFrame(dst []byte) []byte {
	if s.options.IncludeUsage {
		dst = append(dst, `,"usage":null`...)
	}
	return append(dst, "}\n\n"...)
}

// appendChoice appends a choice, followed by a comma.
func (s *Stream) appendChoice(dst []byte, ch *choice) ([]byte, error) {
	st := s.stateOf(ch.index)
	if st.continues && !ch.message.hasContent {
		return dst, nil
	}
	st.emptyFinish = ch.hasEmptyFinish() || st.emptyFinish && !ch.message.hasContent
	dst = append(dst, `{"index":`...)
	dst = strconv.AppendInt(dst, int64(ch.index), 10)
	dst = append(dst, `,"delta":{`...)
	dst = s.appendDelta(dst, st, ch)
	dst = append(dst, '}')
	dst = append(dst, ch.extra...)
	dst, err := s.appendFinishReason(dst, st, ch)
	if err != nil {
		return dst, err
	}
	if len(st.calls) > maxToolCalls {
		return dst, errTooManyToolCalls()
	}
	if t := s.options.Transcript; t != nil {
		t.addDelta(ch)
	}
	s.textBytes += ch.message.textBytes
	s.started = s.started || ch.message.hasContent || st.isFinished()
	return append(dst, "},"...), nil
}

// appendFinishReason appends the finish reason, or null unless the frame is the last one of
// the choice.
func (s *Stream) appendFinishReason(dst []byte, st *choiceState, ch *choice) ([]byte, error) {
	dst = append(dst, `,"finish_reason":`...)
	ends := st.endsWith(ch)
	if err := st.setFinishReason(ch); err != nil {
		return dst, err
	}
	if !ends {
		return append(dst, "null"...), nil
	}
	st.finishSent = true
	return jsonscan.AppendQuoted(dst, st.callKind().adjustReason(st.finishReason)), nil
}

// setFinishReason stores the finish reason of a chunk. It fails if the reason is an error.
func (st *choiceState) setFinishReason(ch *choice) error {
	if !ch.hasFinishReason() {
		return nil
	}
	reason := normalizeFinishReason(strings.ToLower(jsonscan.DecodeText(ch.finishReason)))
	if reason == finishError {
		return errEndedWithError()
	}
	st.finishReason = reason
	return nil
}

// appendImpliedFinishes is called at the end of the stream. It finishes the choices
// whose last finish reason was empty.
func (s *Stream) appendImpliedFinishes(dst []byte) []byte {
	for i := range s.states {
		if st := &s.states[i]; st.isFinished() || !st.emptyFinish {
			continue
		}
		c := &s.chunk
		c.extra, c.hasVendorMember = c.extra[:0], false
		c.choices = append(c.choices[:0], choice{index: i, finishReason: jsontext.Value(`"stop"`)})
		// appendFrames fails only for other finish reasons.
		dst, _ = s.appendFrames(dst, c)
	}
	return dst
}

func (st *choiceState) callKind() callKind {
	switch {
	case len(st.calls) > 0:
		return withToolCalls
	case st.hasFunctionCall:
		return withFunctionCall
	}
	return noCalls
}

// appendDelta appends the members of a delta, without braces.
func (s *Stream) appendDelta(dst []byte, st *choiceState, ch *choice) []byte {
	from, m := len(dst), &ch.message
	if !st.started {
		st.started = true
		dst = append(dst, `,"role":"assistant"`...)
	}
	if len(m.content) > 0 {
		s.textOffset = len(dst) + len(`"content":`)
		dst = jsonscan.AppendMember(dst, []byte(`"content"`), m.content)
	}
	if len(m.refusal) > 0 {
		dst = jsonscan.AppendMember(dst, []byte(`"refusal"`), m.refusal)
	}
	dst = append(dst, m.extra...)
	st.hasFunctionCall = st.hasFunctionCall || m.hasFunctionCall
	if len(m.calls) > 0 || len(st.calls) > 0 {
		dst = s.appendToolCallDeltas(dst, st, ch)
	}
	if len(dst) == from {
		return dst
	}
	// A comma precedes every member. Remove the first comma.
	return append(dst[:from], dst[from+1:]...)
}

// appendToolCallDeltas appends tool_calls unless it would be empty.
func (s *Stream) appendToolCallDeltas(dst []byte, st *choiceState, ch *choice) []byte {
	from := len(dst)
	dst = append(dst, `,"tool_calls":[`...)
	empty, calls := len(dst), ch.message.calls
	for i := range calls {
		k := &calls[i]
		f := st.assignFragment(calls, i, callIDPrefix{s.options.ID, ch.index})
		dst = append(f.appendJSON(dst, k), ',')
		if t := s.options.Transcript; t != nil {
			t.addToolCall(ch.index, f, k)
		}
	}
	if st.endsWith(ch) {
		dst = st.appendMissingArguments(dst)
	}
	if len(dst) == empty {
		return dst[:from]
	}
	dst[len(dst)-1] = ']'
	return dst
}

// stateOf returns the state of a choice. It adds states as needed.
func (s *Stream) stateOf(index int) *choiceState {
	for len(s.states) <= index {
		s.states = append(s.states, choiceState{})
	}
	return &s.states[index]
}

package openai

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// state is what has been sent of one choice.
type state struct {
	begun, legacy bool
	// unsaid is set if what came last was a reason that says nothing.
	unsaid bool
	// reason is the upstream's, once it gave one.
	reason string
	calls  []track
}

func (st *state) finished() bool { return st.reason != "" }

func (s *Stream) frames(dst []byte, show bool) ([]byte, error) {
	c, start := &s.chunk, len(dst)
	for i := range c.choices {
		dst = s.appendRole(dst, c.choices[i].index, isBlank(c.choices[i].msg.role))
	}
	if show {
		dst = s.appendRole(dst, 0, len(s.states) == 0)
	}
	frame := len(dst)
	dst = append(dst, s.head...)
	dst = append(dst, c.extra...)
	dst = append(dst, `,"choices":[`...)
	empty := len(dst)
	for i := range c.choices {
		var err error
		if dst, err = s.appendChoice(dst, &c.choices[i]); err != nil {
			return dst[:start], err
		}
	}
	if len(dst) == empty && !show {
		return dst[:frame], nil
	}
	return s.closeFrame(append(bytes.TrimSuffix(dst, []byte(",")), ']')), nil
}

// appendRole writes a frame with the role for a choice that begins without:
// helpers of several clients fail or lose data if it does not come first.
func (s *Stream) appendRole(dst []byte, index int, needed bool) []byte {
	if !needed || s.state(index).begun {
		return dst
	}
	s.state(index).begun = true
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

// appendChoice writes a choice with a comma after it.
func (s *Stream) appendChoice(dst []byte, ch *choice) ([]byte, error) {
	st := s.state(ch.index)
	// Some upstreams send an empty delta along with usage. After the finish
	// it would make clients forget the reason.
	if st.finished() && !ch.msg.says {
		return dst, nil
	}
	st.unsaid = ch.isUnsaid() || st.unsaid && !ch.msg.says
	dst = append(dst, `{"index":`...)
	dst = strconv.AppendInt(dst, int64(ch.index), 10)
	dst = append(dst, `,"delta":{`...)
	dst = s.appendDelta(dst, st, ch)
	dst = append(dst, '}')
	dst = append(dst, ch.extra...)
	dst, err := s.appendFinish(dst, st, ch)
	if err != nil {
		return dst, err
	}
	if len(st.calls) > maxCalls {
		return dst, errManyCalls()
	}
	if t := s.options.Transcript; t != nil {
		t.delta(ch)
	}
	s.text += ch.msg.text
	s.started = s.started || ch.msg.says || st.finished()
	return append(dst, "},"...), nil
}

// appendFinish writes the reason. What comes after it gets it again: clients
// keep the last one they saw.
func (s *Stream) appendFinish(dst []byte, st *state, ch *choice) ([]byte, error) {
	dst = append(dst, `,"finish_reason":`...)
	if ch.isFinish() {
		st.reason = closest(strings.ToLower(text(ch.finish)))
	}
	switch st.reason {
	case "":
		return append(dst, "null"...), nil
	case finishError:
		return dst, errBrokenOff()
	}
	return appendQuoted(dst, st.called().ends(st.reason)), nil
}

// appendUnsaid ends, when nothing more can come, the choices whose upstream
// gave a reason that says nothing and then no better one.
func (s *Stream) appendUnsaid(dst []byte) []byte {
	for i := range s.states {
		if st := &s.states[i]; st.finished() || !st.unsaid {
			continue
		}
		c := &s.chunk
		c.extra, c.vendor = c.extra[:0], false
		c.choices = append(c.choices[:0], choice{index: i, finish: jsontext.Value(`"stop"`)})
		// A reason that we know is no error.
		dst, _ = s.frames(dst, false)
	}
	return dst
}

func (st *state) called() called {
	switch {
	case len(st.calls) > 0:
		return calledTools
	case st.legacy:
		return calledLegacy
	}
	return calledNothing
}

func (s *Stream) appendDelta(dst []byte, st *state, ch *choice) []byte {
	from, m := len(dst), &ch.msg
	if !st.begun {
		st.begun = true
		dst = append(dst, `,"role":"assistant"`...)
	}
	if len(m.content) > 0 {
		s.textAt = len(dst) + len(`"content":`)
		dst = appendMember(dst, []byte(`"content"`), m.content)
	}
	if len(m.refusal) > 0 {
		dst = appendMember(dst, []byte(`"refusal"`), m.refusal)
	}
	dst = append(dst, m.extra...)
	st.legacy = st.legacy || m.legacy
	if len(m.calls) > 0 || len(st.calls) > 0 {
		dst = s.appendCalls(dst, st, ch)
	}
	if len(dst) == from {
		return dst
	}
	// Every member brought a comma, the first one too.
	return append(dst[:from], dst[from+1:]...)
}

// appendCalls writes tool_calls, if there is anything to write.
func (s *Stream) appendCalls(dst []byte, st *state, ch *choice) []byte {
	from := len(dst)
	dst = append(dst, `,"tool_calls":[`...)
	empty, calls := len(dst), ch.msg.calls
	for i := range calls {
		k := &calls[i]
		f := st.fragment(k, i, len(calls) > 1, s.options.ID)
		dst = append(f.append(dst, k), ',')
		if t := s.options.Transcript; t != nil {
			t.call(ch.index, f, k)
		}
	}
	if ch.isFinish() {
		dst = st.appendUnargued(dst)
	}
	if len(dst) == empty {
		return dst[:from]
	}
	dst[len(dst)-1] = ']'
	return dst
}

func (s *Stream) state(index int) *state {
	for len(s.states) <= index {
		s.states = append(s.states, state{})
	}
	return &s.states[index]
}

package openai

import (
	"bytes"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// maxPattern is longer than what any vendor puts around a few words.
const maxPattern = 4 << 10

// pattern is an event that brought nothing but text, without that text, and
// the frame it became. Most events of a stream differ from the one before only
// in their text, and then so do the frames: such an event need not be parsed.
type pattern struct {
	// before and after stand around the text in the event, head and tail in
	// the frame.
	before, after, head, tail []byte
	// index is that of the choice.
	index int
	// rest is about how much else the model wrote in every such event.
	rest int
}

// repeats tells whether the event just parsed may become the pattern: one
// choice that has begun and brings text, nothing that changes a state.
func (s *Stream) repeats() bool {
	c := &s.chunk
	if len(c.choices) != 1 || c.usage.seen || c.failed {
		return false
	}
	ch := &c.choices[0]
	open := isNull(ch.finish) || string(ch.finish) == `""`
	// What is kept beside the text is not the same again because it looks so.
	plain := s.options.Transcript == nil || len(ch.msg.extra) == 0 && isBlank(ch.msg.refusal)
	return open && plain && !s.silent() && !ch.msg.made && len(ch.msg.calls) == 0 && isText(ch.msg.content) && !isBlank(ch.msg.content) &&
		s.state(ch.index).begun && len(c.src)-len(ch.msg.content) <= maxPattern
}

// silent tells whether a choice has ended, or said that it may have: from then
// on every event is looked at.
func (s *Stream) silent() bool {
	for i := range s.states {
		if st := &s.states[i]; st.finished() || st.unsaid {
			return true
		}
	}
	return false
}

// learn takes the event just parsed and its frame for the pattern; textAt is
// where the text stands in the frame.
func (s *Stream) learn(frame []byte, textAt int) {
	p, src, m := &s.pattern, s.chunk.src, &s.chunk.choices[0].msg
	// The text is a slice of the event.
	from := cap(src) - cap(m.content)
	p.before = append(p.before[:0], src[:from]...)
	p.after = append(p.after[:0], src[from+len(m.content):]...)
	p.head = append(p.head[:0], frame[:textAt]...)
	p.tail = append(p.tail[:0], frame[textAt+len(m.content):]...)
	p.rest, p.index = m.text-textLen(m.content), s.chunk.choices[0].index
}

// forget makes the next event be parsed.
func (p *pattern) forget() { p.before = p.before[:0] }

// text is the text of an event that follows the pattern, and nil for others.
func (p *pattern) text(payload []byte) jsontext.Value {
	v, ok := bytes.CutPrefix(payload, p.before)
	if !ok || len(p.before) == 0 {
		return nil
	}
	v, ok = bytes.CutSuffix(v, p.after)
	if !ok || !isSimple(v) {
		return nil
	}
	return v
}

// isSimple tells whether v is one string value that says something and needs
// no second look; it is false for some that are.
func isSimple(v jsontext.Value) bool {
	last := len(v) - 1
	if last < 2 || v[0] != '"' || v[last] != '"' {
		return false
	}
	for i := 1; i < last; i++ {
		switch {
		case v[i] < ' ' || v[i] == '"':
			return false
		case v[i] == '\\':
			i++
			if i == last || bytes.IndexByte([]byte(`"\/bfnrt`), v[i]) < 0 {
				return false
			}
		}
	}
	return utf8.Valid(v)
}

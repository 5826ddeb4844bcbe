package normalize

import (
	"bytes"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/pkg/jsonscan"
)

// maxPatternBytes is the maximum length of an event without its text. Events of known
// vendors are shorter.
const maxPatternBytes = 4 << 10

// framePattern avoids parsing most events of a stream. Usually an event differs from the
// previous event only in its text, and the frame for the client differs only in the same
// text. A framePattern holds such an event and its frame, both without the text.
type framePattern struct {
	// before and after are the bytes around the text in the event. head and tail are
	// the bytes around the text in the frame.
	before, after, head, tail []byte
	// index is the index of the choice.
	index int
	// otherBytes is the approximate length of the output in the event besides the text.
	otherBytes int
}

// canBecomePattern reports whether the event just parsed can be the pattern. The event
// must have one choice that has started and contains text. It must not change any state.
func (s *Stream) canBecomePattern() bool {
	c := &s.chunk
	if len(c.choices) != 1 || c.usage.IsReported() || c.isError || len(s.carried.members) > 0 {
		return false
	}
	ch := &c.choices[0]
	open := jsonscan.IsNull(ch.finishReason) || string(ch.finishReason) == `""`
	// Matched events add only their text to a Transcript, so an event with other members
	// must be parsed.
	onlyText := s.options.Transcript == nil || len(ch.message.extra) == 0 && jsonscan.IsBlank(ch.message.refusal)
	return open && onlyText && !s.mayHaveEnded() && !ch.message.contentConverted && len(ch.message.calls) == 0 && jsonscan.IsString(ch.message.content) && !jsonscan.IsBlank(ch.message.content) &&
		s.stateOf(ch.index).started && len(c.Source())-len(ch.message.content) <= maxPatternBytes
}

// mayHaveEnded reports whether any choice has finished or may have finished. From then
// on every event is parsed.
func (s *Stream) mayHaveEnded() bool {
	for i := range s.states {
		if st := &s.states[i]; st.isFinished() || st.emptyFinish {
			return true
		}
	}
	return false
}

// learnPattern makes the event just parsed and its frame the pattern. textOffset
// is the offset of the text in the frame.
func (s *Stream) learnPattern(frame []byte, textOffset int) {
	p, src, m := &s.pattern, s.chunk.Source(), &s.chunk.choices[0].message
	// The content is a slice of src, so the capacities give its offset.
	from := cap(src) - cap(m.content)
	p.before = append(p.before[:0], src[:from]...)
	p.after = append(p.after[:0], src[from+len(m.content):]...)
	p.head = append(p.head[:0], frame[:textOffset]...)
	p.tail = append(p.tail[:0], frame[textOffset+len(m.content):]...)
	p.otherBytes, p.index = m.textBytes-jsonscan.DecodedLen(m.content), s.chunk.choices[0].index
}

// forget removes the pattern, so that the next event is parsed.
func (p *framePattern) forget() { p.before = p.before[:0] }

// matchText returns the text of an event that matches the pattern. It returns nil if
// the event does not match.
func (p *framePattern) matchText(payload []byte) jsontext.Value {
	v, ok := bytes.CutPrefix(payload, p.before)
	if !ok || len(p.before) == 0 {
		return nil
	}
	v, ok = bytes.CutSuffix(v, p.after)
	if !ok || !isSimpleString(v) {
		return nil
	}
	return v
}

// isSimpleString reports whether v is a valid, non-empty JSON string without \u escapes.
func isSimpleString(v jsontext.Value) bool {
	last := len(v) - 1
	if last < 2 || v[0] != '"' || v[last] != '"' {
		return false
	}
	if jsonscan.IsPlain(v[1:last]) {
		return true
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

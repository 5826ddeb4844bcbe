package normalize

// maxBeyond limits the size of the chunks of choicesBeyond in bytes.
const maxBeyond = 1 << 20

// choicesBeyond holds chunks whose choices the client did not request. Some upstreams number
// their only choice from 1. So if a client requested one choice and the stream ends without
// choice 0, the choice beyond is the response.
type choicesBeyond struct {
	payloads [][]byte
	size     int
	// index is the first index beyond.
	index int
}

// add stores a chunk if it may belong to the only choice. index is the index of its first
// choice, or invalidIndex.
func (b *choicesBeyond) add(index int, payload []byte) {
	if index == invalidIndex || b.size+len(payload) > maxBeyond {
		return
	}
	if b.size == 0 {
		b.index = index
	}
	b.size += len(payload)
	b.payloads = append(b.payloads, append([]byte(nil), payload...))
}

// firstIndex returns the index of the first choice, or invalidIndex.
func (c *chunk) firstIndex() int {
	if len(c.choices) == 0 {
		return invalidIndex
	}
	return c.choices[0].index
}

// selectChoices removes the choices that the client did not request.
func (s *Stream) selectChoices(c *chunk) {
	if s.onlyIndex > 0 {
		for i := range c.choices {
			ch := &c.choices[i]
			if ch.index == s.onlyIndex {
				ch.index = 0
			} else {
				ch.index = invalidIndex
			}
		}
	}
	c.removeChoicesBeyond(s.options.Choices)
}

// appendBeyond appends the frames of the choice beyond if choice 0 never started.
func (s *Stream) appendBeyond(dst []byte) (_ []byte, err error) {
	b := s.beyond
	s.beyond = choicesBeyond{}
	if s.options.Choices != 1 || len(s.states) > 0 {
		return dst, nil
	}
	s.onlyIndex = b.index
	for _, payload := range b.payloads {
		if dst, err = s.AppendEvent(dst, payload); err != nil {
			return dst, err
		}
	}
	return dst, nil
}

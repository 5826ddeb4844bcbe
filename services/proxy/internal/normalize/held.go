package normalize

// heldChunk is the chunk that completes a response. Some upstreams send content
// after a finish reason, or repeat the reason in every chunk, but a client must get one finish
// reason, after all content. So the chunk waits until the next one, or until the end.
type heldChunk struct {
	chunk   chunk
	payload []byte
	isSet   bool
}

// isRepeatedEnd reports whether a choice has finished before and has no further content. Some
// upstreams send an empty delta along with usage, or the finish reason twice.
func (s *Stream) isRepeatedEnd(ch *choice) bool {
	return s.stateOf(ch.index).isFinished() && !ch.message.hasContent
}

// completesResponse reports whether no choice is open after the parsed chunk.
func (s *Stream) completesResponse() bool {
	finished := 0
	for i := range s.chunk.choices {
		switch ch := &s.chunk.choices[i]; {
		case s.stateOf(ch.index).isFinished():
		case ch.hasFinishReason():
			finished++
		default:
			return false
		}
	}
	open, before := s.countChoices()
	for i := range s.chunk.choices {
		if st := s.stateOf(s.chunk.choices[i].index); st.started && !st.isFinished() {
			open--
		}
	}
	return open == 0 && before+finished >= max(1, s.options.Choices)
}

// hold holds the parsed chunk. It fails if a finish reason is an error.
func (s *Stream) hold() error {
	for i := range s.chunk.choices {
		ch := &s.chunk.choices[i]
		if err := s.stateOf(ch.index).setFinishReason(ch); err != nil {
			return err
		}
	}
	s.updateUsage()
	h := &s.held
	h.chunk, s.chunk = s.chunk, h.chunk
	h.payload, s.payload = s.payload, h.payload
	h.chunk.extra = s.carried.appendWith(nil, h.chunk.extra)
	s.carried.clear()
	h.isSet, s.started = true, true
	s.pattern.forget()
	return nil
}

// appendHeld appends the frames of the held chunk. The choices of next, which follow, get no
// finish reason yet.
func (s *Stream) appendHeld(dst []byte, next []choice) ([]byte, error) {
	if !s.held.isSet {
		return dst, nil
	}
	s.held.isSet = false
	for i := range next {
		s.stateOf(next[i].index).continues = true
	}
	later := s.carried // members that came after the held chunk
	s.carried = carriedMembers{}
	dst, err := s.appendFrames(dst, &s.held.chunk)
	s.carried = later
	for i := range s.states {
		s.states[i].continues = false
	}
	return dst, err
}

// appendHeldBefore appends the frames of the held chunk before the stream fails with err. They
// have no finish reasons.
func (s *Stream) appendHeldBefore(dst []byte, err error) ([]byte, error) {
	dst, _ = s.appendHeld(dst, s.held.chunk.choices)
	return dst, err
}

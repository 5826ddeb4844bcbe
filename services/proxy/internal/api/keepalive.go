package api

import "time"

// KeepAlive says when a stream that is silent shows a sign of life, so that
// neither the client nor what is between us gives up.
type KeepAlive struct {
	// After is how long a request may be without an answer before the first
	// line. It sends the headers, and with them goes the chance of an honest
	// status. 0 means that there are no lines at all.
	After time.Duration
	// Every is the longest silence from then on.
	Every time.Duration
}

// keepAliveLine ends in one newline. Clients take the end of a comment with
// two for an empty event, and break.
var keepAliveLine = []byte(": keepalive\n")

// keepAlive begins to watch the silence; quiet must be called before the
// handler returns.
func (s *stream) keepAlive(after time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.beat = time.AfterFunc(after, s.tick)
}

// quiet ends it. After it no line is written.
func (s *stream) quiet() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.beat.Stop()
	s.beat = nil
}

// tick writes a line, or looks again when the silence would have lasted long
// enough: frames do not stop the clock, which would cost more than this.
func (s *stream) tick() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.beat == nil {
		return
	}
	if s.x.committed {
		if rest := s.every - time.Since(s.written); rest > 0 {
			s.beat.Reset(rest)
			return
		}
	} else {
		s.open()
	}
	if s.write(keepAliveLine) == nil {
		s.beat.Reset(s.every)
	}
}

package api

import "time"

// KeepAlive sets when a comment line is sent on a silent stream, so that neither the client
// nor a proxy in between closes the connection. Some protocols use an event instead of a
// comment.
type KeepAlive struct {
	// After is the delay before the first line. The first line also sends the headers with
	// status 200, so a later failure can no longer change the status. 0 disables keep-alive
	// lines.
	After time.Duration
	// Every is the interval between further lines while the stream is silent.
	Every time.Duration
}

// keepAliveLine ends with a single newline. After two newlines, some clients report an
// empty event and fail.
var keepAliveLine = []byte(": keepalive\n")

// keepAlive returns what keeps an idle stream of the endpoint open.
func (rt *route) keepAlive() []byte {
	if rt.protocol == nil {
		return keepAliveLine
	}
	return rt.protocol.KeepAlive()
}

// startKeepAlive starts the keep-alive timer. stopKeepAlive must be called before the
// handler returns.
func (s *stream) startKeepAlive(after time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.keepAliveTimer = time.AfterFunc(after, s.writeKeepAlive)
}

// stopKeepAlive stops the timer. No line is written after it returns.
func (s *stream) stopKeepAlive() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.keepAliveTimer.Stop()
	s.keepAliveTimer = nil
}

// writeKeepAlive writes a line. If something was written recently, it resets the timer
// instead. Frames do not reset the timer, because a reset for each frame would cost more.
func (s *stream) writeKeepAlive() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.keepAliveTimer == nil {
		return
	}
	if s.x.committed {
		if rest := s.keepAliveInterval - time.Since(s.written); rest > 0 {
			s.keepAliveTimer.Reset(rest)
			return
		}
	} else {
		s.sendHeaders()
	}
	if s.write(s.keepAlive) == nil {
		s.keepAliveTimer.Reset(s.keepAliveInterval)
	}
}

package api

import (
	"net/http"
	"sync"
	"time"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/pkg/httpserver"
	"github.com/signalbox/signalbox/services/proxy/internal/control"
	"github.com/signalbox/signalbox/services/proxy/internal/dispatch"
)

// stream is an event stream to a client.
type stream struct {
	x    *exchange
	plan control.Plan

	// mu lets keep-alive lines and frames take turns.
	mu sync.Mutex
	// beat writes a keep-alive line when nothing was written for every.
	beat  *time.Timer
	every time.Duration
	// written is when something was last written, extended when the client was
	// last given time.
	written  time.Time
	extended time.Time
}

var _ dispatch.Sink = (*stream)(nil)

// Commit sends the headers. They name model and route, which are true for good
// from here on; if a keep-alive line has sent them before, they name neither.
func (s *stream) Commit(served decide.Target, dropped []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.x.committed {
		return
	}
	s.x.tellServed(s.plan, served, dropped)
	s.open()
}

func (s *stream) open() {
	s.x.header("Content-Type", "text/event-stream; charset=utf-8")
	s.x.header("Cache-Control", "no-cache, no-transform")
	s.x.header("X-Accel-Buffering", "no")
	s.x.commit(0)
	s.x.w.WriteHeader(http.StatusOK)
}

// Send writes frames and flushes them: an event waits for nobody.
func (s *stream) Send(frames []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.write(frames)
}

// sendLast writes the frames that go out together with the response's end.
func (s *stream) sendLast(frames []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_ = s.gather(frames)
}

func (s *stream) write(b []byte) error {
	if err := s.gather(b); err != nil {
		return err
	}
	return httpserver.Release(s.x.r)
}

func (s *stream) gather(b []byte) error {
	s.extend()
	httpserver.Gather(s.x.r)
	if _, err := s.x.w.Write(b); err != nil {
		return err
	}
	return s.x.rc.Flush()
}

// extend gives the client its time anew, not for every frame but often enough.
func (s *stream) extend() {
	now := time.Now()
	s.written = now
	if now.Sub(s.extended) < writeTimeout/10 {
		return
	}
	s.extended = now
	_ = s.x.rc.SetWriteDeadline(now.Add(writeTimeout))
}

// fail ends a broken stream: one bare error frame and no [DONE], so that no
// client takes the part for the whole.
func (s *stream) fail(err error) {
	body := apperr.From(err).Body(s.x.name, s.x.format)
	frame := append(append([]byte("data: "), body...), "\n\n"...)
	s.sendLast(frame)
}

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
	"github.com/signalbox/signalbox/services/proxy/internal/inbound"
)

// stream is an event stream to a client.
type stream struct {
	x    *exchange
	plan control.Plan

	// mu serializes keep-alive lines and frames.
	mu sync.Mutex
	// keepAliveTimer writes keep-alive lines: the first one after KeepAlive.After, further
	// ones when nothing was written for keepAliveInterval.
	keepAliveTimer    *time.Timer
	keepAliveInterval time.Duration
	// keepAlive is what a keep-alive writes.
	keepAlive []byte
	// written is the time of the last write.
	written time.Time
	// extended is when the write deadline was last extended.
	extended time.Time
}

var _ dispatch.Sink = (*stream)(nil)

// Commit sends the headers with the final model and route. If a keep-alive line was sent
// before, the headers are already sent, without model and route.
func (s *stream) Commit(served decide.Candidate, dropped []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.x.committed {
		return
	}
	s.x.setServedHeaders(s.plan, served, dropped)
	s.sendHeaders()
}

func (s *stream) sendHeaders() {
	kind := "text/event-stream; charset=utf-8"
	if s.x.route.streamType != "" {
		kind = s.x.route.streamType
	}
	s.x.setHeader("Content-Type", kind)
	s.x.setHeader("Cache-Control", "no-cache, no-transform")
	s.x.setHeader("X-Accel-Buffering", "no")
	s.x.commit(0)
	s.x.w.WriteHeader(http.StatusOK)
}

// Send writes frames and flushes them at once.
func (s *stream) Send(frames []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.write(frames)
}

// sendLast writes the last frames. They are sent together with the end of the response.
func (s *stream) sendLast(frames []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_ = s.writeBatched(frames)
}

func (s *stream) write(b []byte) error {
	if err := s.writeBatched(b); err != nil {
		return err
	}
	return httpserver.Release(s.x.w)
}

func (s *stream) writeBatched(b []byte) error {
	s.extendDeadline()
	httpserver.Gather(s.x.w)
	if _, err := s.x.w.Write(b); err != nil {
		return err
	}
	return s.x.rc.Flush()
}

// extendDeadline extends the write deadline. To save work, it does so only every few
// seconds.
func (s *stream) extendDeadline() {
	now := time.Now()
	s.written = now
	if now.Sub(s.extended) < writeTimeout/10 {
		return
	}
	s.extended = now
	_ = s.x.rc.SetWriteDeadline(now.Add(writeTimeout))
}

// sendError ends a broken stream with one error frame and without [DONE], so that no
// client treats the response as complete. w writes the frame if the client uses another
// protocol than chat completions. It is nil if no stream of that protocol has started.
func (s *stream) sendError(err error, w dispatch.ErrorWriter) {
	e, o := apperr.From(err), s.x.errorOptions()
	if p := s.x.route.protocol; w == nil && p != nil {
		w = p.NewRelay(inbound.Options{ID: s.x.requestID, Created: s.x.startedAt.Unix()})
	}
	if w != nil {
		s.sendLast(w.AppendError(nil, e, o))
		return
	}
	frame := append(append([]byte("data: "), e.Body(o)...), "\n\n"...)
	s.sendLast(frame)
}

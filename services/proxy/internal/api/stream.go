package api

import (
	"net/http"
	"sync"
	"time"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/services/proxy/internal/control"
	"github.com/signalbox/signalbox/services/proxy/internal/dispatch"
	"github.com/signalbox/signalbox/services/proxy/internal/openai"
)

const usualStream = 16 << 10

// stream is an event stream to a client.
type stream struct {
	x    *exchange
	plan control.Plan
	// kept is what was sent so far, up to capture bytes.
	kept    []byte
	capture int
	sent    int64

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
func (s *stream) Commit(served decide.Target) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.x.committed {
		return
	}
	servedHeaders(s.x.w.Header(), s.plan, served)
	s.open()
}

func (s *stream) open() {
	h := s.x.w.Header()
	h.Set("Content-Type", "text/event-stream; charset=utf-8")
	h.Set("Cache-Control", "no-cache, no-transform")
	h.Set("X-Accel-Buffering", "no")
	s.x.commit(0)
	s.x.w.WriteHeader(http.StatusOK)
}

// Send writes frames and flushes them: an event waits for nobody.
func (s *stream) Send(frames []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.keep(frames)
	return s.write(frames)
}

func (s *stream) write(b []byte) error {
	s.extend()
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
	body := apperr.From(err).Body(s.x.id.String(), s.x.format)
	frame := append(append([]byte("data: "), body...), "\n\n"...)
	_ = s.Send(frame)
}

func (s *stream) keep(frames []byte) {
	s.sent += int64(len(frames))
	room := s.capture - len(s.kept)
	if s.kept == nil && room > 0 {
		// A usual stream fits, and growing to it step by step costs more.
		s.kept = make([]byte, 0, min(room, usualStream))
	}
	s.kept = append(s.kept, frames[:min(max(room, 0), len(frames))]...)
}

// capture puts content into the record, as far as the key's settings allow.
func (e *edge) capture(x *exchange, req *openai.Request, res dispatch.Result, out *stream) {
	limit := out.capture
	if limit == 0 {
		return
	}
	x.record.Request, x.record.RequestLen = cutBytes(req.Body, limit), int64(len(req.Body))
	if req.Stream {
		out.keep(res.Last)
		x.record.Response, x.record.ResponseLen = out.kept, out.sent
		return
	}
	x.record.Response, x.record.ResponseLen = cutBytes(res.Answer.Body, limit), int64(len(res.Answer.Body))
}

func cutBytes(b []byte, most int) []byte { return b[:min(len(b), most)] }

package web

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/httpserver"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

// Feed tells what has become visible, in that order.
type Feed interface {
	Head(ctx context.Context) (record.Position, error)
	Tail(ctx context.Context, q record.Query, after record.Position, limit int) (record.Tail, error)
}

const (
	// streamStep is how long rows are gathered before they are sent together.
	streamStep = 250 * time.Millisecond
	// streamPulse is how often a silent stream says that it lives, and asks
	// whether its reader is still signed in.
	streamPulse = 15 * time.Second
	// streamRows is how many rows are sent at once; more follow at once.
	streamRows = 200
	// streamPatience is how long a reader may take for what was sent.
	streamPatience = 30 * time.Second
)

// stream is one reader who follows.
type stream struct {
	s    *server
	r    *http.Request
	w    http.ResponseWriter
	q    record.Query
	next record.Position
}

// apiStream sends what has become visible since a position, and then whatever
// becomes visible, as events. Who comes back with the last event's id misses
// nothing; if that is too old a gap event says so.
func (s *server) apiStream(w http.ResponseWriter, r *http.Request, v *viewer) error {
	p, err := params(r, "filter", "after")
	if err != nil {
		return err
	}
	q, err := query(p, v.account.GetId())
	if err != nil {
		return err
	}
	next, err := s.startOf(r, p.Get("after"))
	if err != nil {
		return err
	}
	leave, err := s.streams.enter(v.account.GetId())
	if err != nil {
		return err
	}
	defer leave()
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("X-Accel-Buffering", "no")
	(&stream{s: s, r: r, w: w, q: q, next: next}).run()
	return nil
}

// startOf is where a reader goes on: after what it had last, or now. A browser
// that reconnects says it in a header, which is the newer word.
func (s *server) startOf(r *http.Request, after string) (record.Position, error) {
	if last := r.Header.Get("Last-Event-ID"); last != "" {
		after = last
	}
	if after != "" {
		return record.ParsePosition(after)
	}
	ctx, cancel := context.WithTimeout(r.Context(), readTimeout)
	defer cancel()
	return s.Feed.Head(ctx)
}

// run ends when the reader leaves, is signed out, or the server stops. It
// looks for these after everything that it sends, however much there is.
func (st *stream) run() {
	step, pulse := time.NewTicker(streamStep), time.NewTicker(streamPulse)
	defer step.Stop()
	defer pulse.Stop()
	// A reader that comes back before the first row has a place to go on from.
	more, err := false, st.event("start", "{}")
	for err == nil && !st.over() {
		select {
		case <-pulse.C:
			if err = st.send(": \n\n"); err == nil && st.signedOut() {
				return
			}
			continue
		default:
		}
		if !more {
			select {
			case <-st.r.Context().Done():
				return
			case <-httpserver.Stopping(st.r.Context()):
				return
			case <-step.C:
			}
		}
		more, err = st.catchUp()
	}
	st.s.Log.Debug("live stream ended", "request_id", requestID(st.r), "error", err)
}

func (st *stream) over() bool {
	select {
	case <-st.r.Context().Done():
		return true
	case <-httpserver.Stopping(st.r.Context()):
		return true
	default:
		return false
	}
}

// signedOut is asked of keyauth; if that is away the reader may stay.
func (st *stream) signedOut() bool {
	_, err := st.s.who(st.r)
	return apperr.CodeOf(err) == apperr.SessionRequired
}

// catchUp sends what is new, and reports whether there is more.
func (st *stream) catchUp() (more bool, err error) {
	tail, err := st.s.tail(st.r.Context(), st.q, st.next)
	if err != nil {
		return false, err
	}
	st.next = tail.Next
	switch {
	case tail.Gap:
		err = st.event("gap", "{}")
	case len(tail.Items) > 0:
		err = st.rows(tail.Items)
	}
	return tail.More, err
}

func (st *stream) rows(items []record.Tailed) error {
	out := make([]recordJSON, 0, len(items))
	for i := range items {
		out = append(out, toRecordJSON(&items[i].Record))
	}
	data, err := json.Marshal(out)
	if err != nil {
		return err
	}
	return st.event("rows", string(data))
}

// event names where a reader goes on that has seen it.
func (st *stream) event(name, data string) error {
	return st.send(fmt.Sprintf("event: %s\nid: %s\ndata: %s\n\n", name, st.next, data))
}

func (st *stream) send(text string) error {
	control := http.NewResponseController(st.w)
	_ = control.SetWriteDeadline(time.Now().Add(streamPatience)) // not every writer can
	if _, err := st.w.Write([]byte(text)); err != nil {
		return err
	}
	return control.Flush()
}

// tail asks the feed. A store that is away for a moment is asked again at the
// next step: nothing is missed.
func (s *server) tail(ctx context.Context, q record.Query, after record.Position) (record.Tail, error) {
	bounded, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	tail, err := s.Feed.Tail(bounded, q, after, streamRows)
	if err != nil && ctx.Err() == nil && apperr.CodeOf(err) == apperr.StoreUnavailable {
		return record.Tail{Next: after}, nil
	}
	return tail, err
}

package web

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
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
	// streamPulse is how often a stream says that it lives, and asks whether its
	// reader is still signed in.
	streamPulse = 5 * time.Second
	// streamRetry is after how many milliseconds a browser comes back.
	streamRetry = 1000
	// streamFilters is how many filters one reader follows: the pages of a
	// browser share a stream, as it has but a handful of connections.
	streamFilters = 20
	// streamRows is how many rows are sent at once; more follow at once.
	streamRows = 200
	// streamPatience is how long a reader may take for what was sent.
	streamPatience = 30 * time.Second
)

// stream is one reader who follows.
type stream struct {
	s       *server
	r       *http.Request
	w       http.ResponseWriter
	queries []record.Query
	next    record.Position
}

// apiStream sends what has become visible since a position, and then whatever
// becomes visible, as events. Who comes back with the last event's id misses
// nothing; if that is too old a gap event says so.
func (s *server) apiStream(w http.ResponseWriter, r *http.Request, v *viewer) error {
	p, err := paramLists(r, "filter", "filter", "after")
	if err != nil {
		return err
	}
	queries, err := followed(p["filter"], v.account.GetId())
	if err != nil {
		return err
	}
	next, err := s.startOf(r, p.Get("after"))
	if err != nil {
		return err
	}
	leave, err := s.streams.enter(v.account.GetId(), len(queries))
	if err != nil {
		return err
	}
	defer leave()
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("X-Accel-Buffering", "no")
	(&stream{s: s, r: r, w: w, queries: queries, next: next}).run()
	return nil
}

// followed is a query for each filter; without any, one for everything.
func followed(filters []string, account string) ([]record.Query, error) {
	if len(filters) > streamFilters {
		return nil, badParam("filter", fmt.Sprintf("a stream follows at most %d filters", streamFilters))
	}
	if len(filters) == 0 {
		filters = []string{""}
	}
	queries := make([]record.Query, 0, len(filters))
	for _, f := range filters {
		q, err := query(url.Values{"filter": {f}}, account)
		if err != nil {
			return nil, err
		}
		queries = append(queries, q)
	}
	return queries, nil
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
	more, err := false, st.send(fmt.Sprintf("retry: %d\n", streamRetry))
	if err == nil {
		err = st.event("start", "{}")
	}
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
	n, err := st.news()
	if err != nil {
		return false, err
	}
	for i, e := range n.events {
		// Only the last one moves on: who leaves before it gets them all again.
		if i == len(n.events)-1 {
			st.next = n.next
		}
		if err = st.event(e.name, e.data); err != nil {
			return false, err
		}
	}
	st.next = n.next
	return n.more, nil
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

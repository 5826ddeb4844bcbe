package livefeed

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/httpserver"
	"github.com/signalbox/signalbox/services/dashboard/internal/access"
	"github.com/signalbox/signalbox/services/dashboard/internal/httpapi"
	"github.com/signalbox/signalbox/services/dashboard/internal/readlimit"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

// Feed returns records in the order in which they were committed. Head returns the
// newest position. Tail returns the records after a position.
type Feed interface {
	Head(ctx context.Context) (record.Position, error)
	Tail(ctx context.Context, q record.Query, after record.Position, limit int) (record.Tail, error)
}

const (
	// streamInterval is the time between two reads of the feed. All rows of one read
	// are sent together.
	streamInterval = 250 * time.Millisecond
	// heartbeatInterval is the time between two heartbeats. At each heartbeat the
	// server also checks whether the user is still signed in.
	heartbeatInterval = 5 * time.Second
	// streamRetryMillis is the reconnect delay of browsers in milliseconds.
	streamRetryMillis = 1000
	// maxFiltersPerStream is the maximum number of filters per stream. The tabs of a
	// browser share one stream, because browsers open few connections per host.
	maxFiltersPerStream = 20
	// maxStreamRows is the maximum number of rows per read. If there are more, the
	// next read follows immediately.
	maxStreamRows = 200
	// streamWriteTimeout is how long a client may take to read one event.
	streamWriteTimeout = 30 * time.Second
)

// stream is one client that follows new requests.
type stream struct {
	s       *API
	r       *http.Request
	w       http.ResponseWriter
	queries []record.Query
	next    record.Position
	// nextRunning is when the next list of requests in progress is due. hadRunning tells
	// for each filter whether its last list had requests.
	nextRunning time.Time
	hadRunning  []bool
}

// apiStreamRequests sends the records that were committed since a position, and then
// new records, as server-sent events. A client that reconnects with the id of its
// last event misses nothing. If that position is too old, the client receives a gap
// event.
func (s *API) apiStreamRequests(w http.ResponseWriter, r *http.Request, v *access.Viewer) error {
	p, err := httpapi.ParseRepeatedParams(r, "filter", "filter", "after")
	if err != nil {
		return err
	}
	queries, err := parseFilters(p["filter"], v.Account.GetId())
	if err != nil {
		return err
	}
	next, err := s.startPosition(r, p.Get("after"))
	if err != nil {
		return err
	}
	release, err := s.streams.acquire(v.Account.GetId(), len(queries))
	if err != nil {
		return err
	}
	defer release()
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("X-Accel-Buffering", "no")
	(&stream{s: s, r: r, w: w, queries: queries, next: next, hadRunning: make([]bool, len(queries))}).run()
	return nil
}

// parseFilters returns one query per filter. Without filters it returns one query
// that matches all requests.
func parseFilters(filters []string, account string) ([]record.Query, error) {
	if len(filters) > maxFiltersPerStream {
		return nil, httpapi.InvalidParam("filter", fmt.Sprintf("a stream supports at most %d filters", maxFiltersPerStream))
	}
	if len(filters) == 0 {
		filters = []string{""}
	}
	queries := make([]record.Query, 0, len(filters))
	for _, f := range filters {
		q, err := httpapi.ParseQuery(url.Values{"filter": {f}}, account)
		if err != nil {
			return nil, err
		}
		queries = append(queries, q)
	}
	return queries, nil
}

// startPosition returns the position to start from: that of the client's last event
// or, without such an event, the newest position. A reconnecting browser sends the
// header Last-Event-ID. The header overrides the parameter after.
func (s *API) startPosition(r *http.Request, after string) (record.Position, error) {
	if last := r.Header.Get("Last-Event-ID"); last != "" {
		after = last
	}
	if after != "" {
		return record.ParsePosition(after)
	}
	ctx, cancel := context.WithTimeout(r.Context(), readlimit.Timeout)
	defer cancel()
	return s.Feed.Head(ctx)
}

// run sends events until the client disconnects, the user signs out or the server
// shuts down. Every heartbeat checks whether the user is still signed in.
func (st *stream) run() {
	poll, heartbeat := time.NewTicker(streamInterval), time.NewTicker(heartbeatInterval)
	defer poll.Stop()
	defer heartbeat.Stop()
	// The first event has a position, so that a client can resume even before the first row.
	more, err := false, st.writeText(fmt.Sprintf("retry: %d\n", streamRetryMillis))
	if err == nil {
		err = st.sendEvent("start", "{}")
	}
	for err == nil && !st.isOver() {
		select {
		case <-heartbeat.C:
			if err = st.writeText(": \n\n"); err == nil && st.isSignedOut() {
				return
			}
			continue
		default:
		}
		if !more {
			select {
			case <-st.r.Context().Done():
				return
			case <-httpserver.DrainSignal(st.r.Context()):
				return
			case <-poll.C:
			}
		}
		if more, err = st.sendNews(); err == nil && !more {
			err = st.sendRunning(time.Now())
		}
	}
	st.s.Log.Debug("live stream ended", "request_id", httpapi.RequestID(st.r), "error", err)
}

func (st *stream) isOver() bool {
	select {
	case <-st.r.Context().Done():
		return true
	case <-httpserver.DrainSignal(st.r.Context()):
		return true
	default:
		return false
	}
}

// isSignedOut checks the session. If keyauth is unavailable, the stream continues.
func (st *stream) isSignedOut() bool {
	_, err := st.s.Authenticate(st.r)
	return apperr.CodeOf(err) == apperr.SessionRequired
}

// sendNews sends the new records. It reports whether more records are available.
func (st *stream) sendNews() (more bool, err error) {
	n, err := st.readUpdate()
	if err != nil {
		return false, err
	}
	for i, e := range n.events {
		// Only the last event advances the id. A client that disconnects before the
		// last event receives all events of this update again.
		if i == len(n.events)-1 {
			st.next = n.next
		}
		if err = st.sendEvent(e.name, e.data); err != nil {
			return false, err
		}
	}
	st.next = n.next
	return n.more, nil
}

// sendEvent sends an event. The id of the event is the position to resume from.
func (st *stream) sendEvent(name, data string) error {
	return st.writeText(fmt.Sprintf("event: %s\nid: %s\ndata: %s\n\n", name, st.next, data))
}

func (st *stream) writeText(text string) error {
	control := http.NewResponseController(st.w)
	_ = control.SetWriteDeadline(time.Now().Add(streamWriteTimeout)) // best effort: not every writer supports deadlines
	if _, err := st.w.Write([]byte(text)); err != nil {
		return err
	}
	return control.Flush()
}

// Package running reports the requests in progress, so that the dashboard can show
// them before they have a record. A Reporter looks once a second at the START frames
// of the spool, which every request writes anyway, and publishes a summary of those
// that are older than a second. Nothing is added to the path of requests. If there is
// nothing to report, nothing is sent.
package running

import (
	"context"
	"log/slog"
	"time"

	"github.com/signalbox/signalbox/pkg/records"
)

const (
	// interval is the time between two reports. It is also the age from which a request
	// is reported.
	interval = time.Second
	// reportTimeout limits a report. A report that is not sent in time is replaced by the next one.
	reportTimeout = time.Second
	// maxPerAccount and maxRequests limit a report. The oldest requests come first.
	maxPerAccount = 100
	maxRequests   = 500
	// maxScanned limits how many START frames one report looks at.
	maxScanned = 5000
)

// Spool knows the requests of this process that have no record yet.
type Spool interface {
	ListRunning(before time.Time) [][16]byte
	ReadStart(id [16]byte) ([]byte, error)
}

// Publisher sends a report. records.Publisher implements it.
type Publisher interface {
	ReportRunning(ctx context.Context, producer string, running []records.RunningRequest) error
}

// Summary is what a report says about a request.
type Summary struct {
	Account string
	Began   time.Time
	// Record is an encoded record without the details of the decision.
	Record []byte
}

// Reporter reports until Run returns.
type Reporter struct {
	Spool    Spool
	To       Publisher
	Producer string
	// Summarize shortens a START frame. ok is false if the frame is not of a request.
	Summarize func(start []byte) (s Summary, ok bool)
	Log       *slog.Logger

	// known holds the requests of the last report, so that each START frame is read once.
	known map[[16]byte]*request
	// reported is the number of requests in the last report that was sent.
	reported int
	failing  bool
}

// request is a running request. Its elapsed time is age plus the time since seen, which
// is monotonic: a change of the wall clock does not set it back.
type request struct {
	Summary
	isRequest bool
	age       time.Duration
	seen      time.Time
}

// Run reports every second. When ctx ends, it withdraws the last report.
func (r *Reporter) Run(ctx context.Context) {
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			r.report(ctx, time.Now())
		case <-ctx.Done():
			r.send(context.WithoutCancel(ctx), nil)
			return
		}
	}
}

func (r *Reporter) report(ctx context.Context, now time.Time) {
	r.send(ctx, r.collect(now))
}

// collect returns the running requests, oldest first.
func (r *Reporter) collect(now time.Time) []records.RunningRequest {
	var out []records.RunningRequest
	known, perAccount := map[[16]byte]*request{}, map[string]int{}
	for i, id := range r.Spool.ListRunning(now.Add(-interval)) {
		if i == maxScanned || len(out) == maxRequests {
			break
		}
		q := r.find(id, now)
		if q == nil {
			continue
		}
		known[id] = q
		if !q.isRequest || perAccount[q.Account] == maxPerAccount {
			continue
		}
		perAccount[q.Account]++
		out = append(out, records.RunningRequest{Elapsed: q.age + now.Sub(q.seen), Record: q.Record})
	}
	r.known = known
	return out
}

// find returns a request, or nil if it has ended meanwhile.
func (r *Reporter) find(id [16]byte, now time.Time) *request {
	if q, ok := r.known[id]; ok {
		return q
	}
	start, err := r.Spool.ReadStart(id)
	if err != nil {
		return nil
	}
	q := &request{seen: now}
	if q.Summary, q.isRequest = r.Summarize(start); q.isRequest {
		q.age = max(0, now.Sub(q.Began))
	}
	return q
}

// send sends a report, unless this one and the last one are empty. A report that fails
// expires, so it needs no retry.
func (r *Reporter) send(ctx context.Context, running []records.RunningRequest) {
	if len(running) == 0 && r.reported == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, reportTimeout)
	defer cancel()
	err := r.To.ReportRunning(ctx, r.Producer, running)
	if err != nil && !r.failing {
		r.Log.Warn("cannot report the requests in progress", "error", err)
	}
	if r.failing = err != nil; !r.failing {
		r.reported = len(running)
	}
}

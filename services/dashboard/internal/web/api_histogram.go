package web

import (
	"context"
	"net/http"
	"time"

	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

// bars is about how many a histogram has.
const bars = 60

// steps are what people count time in.
var steps = []time.Duration{
	time.Second, 5 * time.Second, 15 * time.Second, time.Minute, 5 * time.Minute, 10 * time.Minute, 30 * time.Minute,
	time.Hour, 3 * time.Hour, 6 * time.Hour, 12 * time.Hour, 24 * time.Hour, 7 * 24 * time.Hour,
}

// stepOf is the smallest step with which a span has no more bars than fit.
func stepOf(span time.Duration) time.Duration {
	for _, s := range steps {
		if span/s <= bars {
			return s
		}
	}
	// Any number of years has its bars, too; a span is no longer than 292.
	return max(30*24*time.Hour, (span / bars).Truncate(24*time.Hour))
}

type histogramJSON struct {
	From        string    `json:"from"`
	To          string    `json:"to"`
	StepSeconds int64     `json:"step_seconds"`
	Buckets     []barJSON `json:"buckets"`
}

// barJSON counts requests by the way they went. What nobody served, or broke,
// is an error whatever its route.
type barJSON struct {
	Time     string `json:"time"`
	Expected int64  `json:"expected"`
	Fallback int64  `json:"fallback"`
	Policy   int64  `json:"policy"`
	Error    int64  `json:"error"`
}

func (s *server) apiHistogram(w http.ResponseWriter, r *http.Request, v *viewer) error {
	p, err := params(r, "filter", "from", "to")
	if err != nil {
		return err
	}
	q, err := query(p, v.account.GetId())
	if err != nil {
		return err
	}
	bound(&q, 24*time.Hour)
	h, err := s.histogram(r.Context(), q)
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, h)
}

// bound gives a query that is open both its ends: now, and so long before.
func bound(q *record.Query, usual time.Duration) {
	if q.To.IsZero() {
		q.To = time.Now()
	}
	if q.From.IsZero() {
		q.From = q.To.Add(-usual)
	}
}

func (s *server) histogram(ctx context.Context, q record.Query) (histogramJSON, error) {
	step := stepOf(q.To.Sub(q.From))
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	series, err := s.Ledger.Series(ctx, q, step)
	out := histogramJSON{From: timeText(q.From), To: timeText(q.To), StepSeconds: int64(step / time.Second), Buckets: []barJSON{}}
	for _, b := range series {
		bar := barJSON{Time: timeText(b.Start)}
		for _, c := range b.Counts {
			*bar.of(c) += c.Requests
		}
		out.Buckets = append(out.Buckets, bar)
	}
	return out, err
}

func (b *barJSON) of(c record.Count) *int64 {
	switch {
	case c.Outcome != record.OK && c.Outcome != record.ClientClosed:
		return &b.Error
	case c.Route == record.Fallback:
		return &b.Fallback
	case c.Route == record.Policy:
		return &b.Policy
	case c.Route == record.Expected:
		return &b.Expected
	}
	return &b.Error
}

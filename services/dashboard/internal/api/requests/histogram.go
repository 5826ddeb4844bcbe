package requests

import (
	"context"
	"net/http"
	"time"

	"github.com/signalbox/signalbox/services/dashboard/internal/access"
	"github.com/signalbox/signalbox/services/dashboard/internal/httpapi"
	"github.com/signalbox/signalbox/services/dashboard/internal/jsonvalue"
	"github.com/signalbox/signalbox/services/dashboard/internal/readlimit"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

// maxBars is the maximum number of whole steps of a histogram. A partial step at an
// end of the range adds another bar.
const maxBars = 60

var histogramSteps = []time.Duration{
	time.Second, 5 * time.Second, 15 * time.Second, time.Minute, 5 * time.Minute, 10 * time.Minute, 30 * time.Minute,
	time.Hour, 3 * time.Hour, 6 * time.Hour, 12 * time.Hour, 24 * time.Hour, 7 * 24 * time.Hour,
}

// chooseStep returns the smallest step that yields at most maxBars bars.
func chooseStep(span time.Duration) time.Duration {
	for _, s := range histogramSteps {
		if span/s <= maxBars {
			return s
		}
	}
	// Very long ranges get steps of whole days.
	return max(30*24*time.Hour, (span / maxBars).Truncate(24*time.Hour))
}

type histogramJSON struct {
	From        string    `json:"from"`
	To          string    `json:"to"`
	StepSeconds int64     `json:"step_seconds"`
	Buckets     []barJSON `json:"buckets"`
}

// barJSON counts the requests of one step by route. A request that failed or was
// not served counts as an error, whatever its route.
type barJSON struct {
	Time     string `json:"time"`
	Expected int64  `json:"expected"`
	Fallback int64  `json:"fallback"`
	Policy   int64  `json:"policy"`
	Error    int64  `json:"error"`
}

func (s *API) apiGetHistogram(w http.ResponseWriter, r *http.Request, v *access.Viewer) error {
	q, err := parseRangeQuery(r, v)
	if err != nil {
		return err
	}
	h, err := s.readHistogram(r.Context(), q)
	return httpapi.WriteResult(w, http.StatusOK, h, err)
}

// parseRangeQuery reads the filter and the time range of a request. A missing end is
// now, and a missing start is 24 hours before the end.
func parseRangeQuery(r *http.Request, v *access.Viewer) (record.Query, error) {
	p, err := httpapi.ParseParams(r, "filter", "from", "to")
	if err != nil {
		return record.Query{}, err
	}
	q, err := httpapi.ParseQuery(p, v.Account.GetId())
	return withDefaultRange(q), err
}

func withDefaultRange(q record.Query) record.Query {
	if q.To.IsZero() {
		q.To = time.Now()
	}
	if q.From.IsZero() {
		q.From = q.To.Add(-24 * time.Hour)
	}
	return q
}

func (s *API) readHistogram(ctx context.Context, q record.Query) (histogramJSON, error) {
	step := chooseStep(q.To.Sub(q.From))
	ctx, cancel := context.WithTimeout(ctx, readlimit.Timeout)
	defer cancel()
	series, err := s.Ledger.Series(ctx, q, step)
	out := histogramJSON{From: jsonvalue.FormatTime(q.From), To: jsonvalue.FormatTime(q.To), StepSeconds: int64(step / time.Second), Buckets: []barJSON{}}
	for _, b := range series {
		bar := barJSON{Time: jsonvalue.FormatTime(b.Start)}
		for _, c := range b.Counts {
			*bar.counterFor(c) += c.Requests
		}
		out.Buckets = append(out.Buckets, bar)
	}
	return out, err
}

func (b *barJSON) counterFor(c record.Count) *int64 {
	switch c.ServedRoute() {
	case record.RouteFallback:
		return &b.Fallback
	case record.RoutePolicy:
		return &b.Policy
	case record.RouteExpected:
		return &b.Expected
	}
	return &b.Error
}

package web

import (
	"context"
	"net/http"
	"time"

	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

// overviewJSON is how the requests of a span went, beside those of the span
// before it.
type overviewJSON struct {
	From     string      `json:"from"`
	To       string      `json:"to"`
	Now      periodJSON  `json:"now"`
	Before   periodJSON  `json:"before"`
	Measured measureJSON `json:"measured"`
	// Histogram has the same span.
	Histogram histogramJSON `json:"histogram"`
}

// periodJSON adds up one span. Of the requests, some ended well, some were
// refused before any model was asked, and some were served by a fallback or a
// policy.
type periodJSON struct {
	sumsJSON
	OK       int64 `json:"ok"`
	Rejected int64 `json:"rejected"`
	Fallback int64 `json:"fallback"`
	Policy   int64 `json:"policy"`
}

// measureJSON are spans of the newest requests; null when there is none.
type measureJSON struct {
	Requests     int64  `json:"requests"`
	GatewayP50US *int64 `json:"gateway_p50_us"`
	GatewayP95US *int64 `json:"gateway_p95_us"`
	TTFTP95US    *int64 `json:"ttft_p95_us"`
}

func (s *server) apiOverview(w http.ResponseWriter, r *http.Request, v *viewer) error {
	p, err := params(r, "filter", "from", "to")
	if err != nil {
		return err
	}
	q, err := query(p, v.account.GetId())
	if err != nil {
		return err
	}
	bound(&q, 24*time.Hour)
	answer, err := s.overview(r.Context(), q)
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, answer)
}

func (s *server) overview(ctx context.Context, q record.Query) (overviewJSON, error) {
	out := overviewJSON{From: timeText(q.From), To: timeText(q.To)}
	before := q
	before.From, before.To = q.From.Add(-q.To.Sub(q.From)), q.From
	now, figures, err := s.period(ctx, q)
	if err != nil {
		return out, err
	}
	out.Now = now
	if figures.Measured > 0 {
		out.Measured = measureJSON{Requests: figures.Measured, GatewayP50US: &figures.GatewayP50, GatewayP95US: &figures.GatewayP95}
	}
	if figures.Streamed > 0 {
		out.Measured.TTFTP95US = &figures.TTFTP95
	}
	if out.Before, _, err = s.period(ctx, before); err != nil {
		return out, err
	}
	out.Histogram, err = s.histogram(ctx, q)
	return out, err
}

func (s *server) period(ctx context.Context, q record.Query) (periodJSON, record.Figures, error) {
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	impact, err := s.Ledger.Impact(ctx, q, "")
	if err != nil {
		return periodJSON{}, record.Figures{}, err
	}
	f, err := s.Ledger.Figures(ctx, q)
	return periodJSON{sumsJSON: toSumsJSON(impact.Sums), OK: f.OK, Rejected: f.Rejected, Fallback: f.Fallback, Policy: f.Policy}, f, err
}

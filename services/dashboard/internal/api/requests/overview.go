package requests

import (
	"context"
	"net/http"

	"github.com/signalbox/signalbox/services/dashboard/internal/access"
	"github.com/signalbox/signalbox/services/dashboard/internal/httpapi"
	"github.com/signalbox/signalbox/services/dashboard/internal/jsonvalue"
	"github.com/signalbox/signalbox/services/dashboard/internal/readlimit"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

// overviewJSON compares the requests of a period with those of the preceding
// period of the same length.
type overviewJSON struct {
	From      string        `json:"from"`
	To        string        `json:"to"`
	Now       periodJSON    `json:"now"`
	Before    periodJSON    `json:"before"`
	Measured  measureJSON   `json:"measured"`
	Histogram histogramJSON `json:"histogram"`
}

// periodJSON sums up one period. OK counts the successful requests. Rejected
// counts the requests that were rejected before any provider was called. Fallback
// and Policy count the served requests with these routes, like the histogram.
type periodJSON struct {
	sumsJSON
	OK       int64 `json:"ok"`
	Rejected int64 `json:"rejected"`
	Fallback int64 `json:"fallback"`
	Policy   int64 `json:"policy"`
}

// measureJSON holds latency percentiles of the newest requests. A percentile is null
// if no request has the value.
type measureJSON struct {
	Requests     int64  `json:"requests"`
	GatewayP50US *int64 `json:"gateway_p50_us"`
	GatewayP95US *int64 `json:"gateway_p95_us"`
	TTFTP95US    *int64 `json:"ttft_p95_us"`
}

func (s *API) apiGetOverview(w http.ResponseWriter, r *http.Request, v *access.Viewer) error {
	q, err := parseRangeQuery(r, v)
	if err != nil {
		return err
	}
	overview, err := s.readOverview(r.Context(), q)
	return httpapi.WriteResult(w, http.StatusOK, overview, err)
}

func (s *API) readOverview(ctx context.Context, q record.Query) (overviewJSON, error) {
	out := overviewJSON{From: jsonvalue.FormatTime(q.From), To: jsonvalue.FormatTime(q.To)}
	before := q
	before.From, before.To = q.From.Add(-q.To.Sub(q.From)), q.From
	now, figures, err := s.readPeriod(ctx, q)
	if err != nil {
		return out, err
	}
	out.Now = now
	if figures.LatencySamples > 0 {
		out.Measured = measureJSON{Requests: figures.LatencySamples, GatewayP50US: &figures.GatewayP50, GatewayP95US: &figures.GatewayP95}
	}
	if figures.TTFTSamples > 0 {
		out.Measured.TTFTP95US = &figures.TTFTP95
	}
	if out.Before, _, err = s.readPeriod(ctx, before); err != nil {
		return out, err
	}
	out.Histogram, err = s.readHistogram(ctx, q)
	return out, err
}

func (s *API) readPeriod(ctx context.Context, q record.Query) (periodJSON, record.Figures, error) {
	ctx, cancel := context.WithTimeout(ctx, readlimit.Timeout)
	defer cancel()
	impact, err := s.Ledger.Impact(ctx, q, "")
	if err != nil {
		return periodJSON{}, record.Figures{}, err
	}
	f, err := s.Ledger.Figures(ctx, q)
	return periodJSON{sumsJSON: sumsJSON(impact.Sums), OK: f.OK, Rejected: f.Rejected, Fallback: f.Fallback, Policy: f.Policy}, f, err
}

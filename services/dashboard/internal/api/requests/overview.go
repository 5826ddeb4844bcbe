package requests

import (
	"context"
	"net/http"

	"github.com/signalbox/signalbox/services/dashboard/internal/access"
	"github.com/signalbox/signalbox/services/dashboard/internal/httpapi"
	"github.com/signalbox/signalbox/services/dashboard/internal/jsonvalue"
	"github.com/signalbox/signalbox/services/dashboard/internal/quality"
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
	// Quality is a sentence that compares the responses with those of the default model. It
	// is null if it is unknown, and for a filtered overview.
	Quality *string `json:"quality"`
	// Notices are what the user should know about the installation.
	Notices []Notice `json:"notices"`
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
	if err == nil {
		s.addQuality(r.Context(), &overview, q, v)
		s.addNotices(r.Context(), &overview, v)
	}
	return httpapi.WriteResult(w, http.StatusOK, overview, err)
}

func (s *API) readOverview(ctx context.Context, q record.Query) (overviewJSON, error) {
	out := overviewJSON{From: jsonvalue.FormatTime(q.From), To: jsonvalue.FormatTime(q.To), Notices: []Notice{}}
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

// addQuality adds the sentence about quality. Without it, the overview is still useful, so an
// error is only logged.
func (s *API) addQuality(ctx context.Context, out *overviewJSON, q record.Query, v *access.Viewer) {
	if len(q.Terms) > 0 {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, readlimit.Timeout)
	defer cancel()
	baseline, err := s.Baseline(ctx, v)
	if err == nil {
		out.Quality, err = s.describeQuality(ctx, v.Account.GetId(), q, baseline)
	}
	if err != nil {
		s.Log.WarnContext(ctx, "overview without quality", "error", err)
	}
}

// describeQuality returns nil if there are no responses. The range of the evidence consists of
// whole days.
func (s *API) describeQuality(ctx context.Context, account string, q record.Query, baseline string) (*string, error) {
	to := q.To.AddDate(0, 0, 1)
	sums, err := s.Ledger.Quality(ctx, account, q.From, to)
	if err != nil || len(sums) == 0 {
		return nil, err
	}
	pairs, err := s.Ledger.Experiments(ctx, account, q.From, to)
	if err != nil {
		return nil, err
	}
	text := quality.DescribeQuality(pairs, sums, baseline)
	return &text, nil
}

func (s *API) addNotices(ctx context.Context, out *overviewJSON, v *access.Viewer) {
	ctx, cancel := context.WithTimeout(ctx, readlimit.Timeout)
	defer cancel()
	notices, err := s.Notices(ctx, v)
	if err != nil {
		s.Log.WarnContext(ctx, "overview without notices", "error", err)
	}
	out.Notices = append(out.Notices, notices...)
}

func (s *API) readPeriod(ctx context.Context, q record.Query) (periodJSON, record.Figures, error) {
	ctx, cancel := context.WithTimeout(ctx, readlimit.Timeout)
	defer cancel()
	impact, err := s.Ledger.Impact(ctx, q, "")
	if err != nil {
		return periodJSON{}, record.Figures{}, err
	}
	f, err := s.Ledger.Figures(ctx, q)
	return periodJSON{sumsJSON: toSumsJSON(impact.Sums), OK: f.OK, Rejected: f.Rejected, Fallback: f.Fallback, Policy: f.Policy}, f, err
}

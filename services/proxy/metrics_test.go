package proxy

import (
	"io"
	"log/slog"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/pkg/telemetry"
	"github.com/signalbox/signalbox/services/proxy/internal/control"
	"github.com/signalbox/signalbox/services/proxy/internal/ledger"
	"github.com/signalbox/signalbox/services/proxy/internal/spool"
)

func TestWhatIsScraped(t *testing.T) {
	tel, err := telemetry.New(t.Context(), telemetry.Config{Service: "proxy"}, io.Discard)
	require.NoError(t, err)
	sp, err := spool.Open(spool.Config{Dir: t.TempDir(), Log: slog.New(slog.DiscardHandler), Recover: control.Abort})
	require.NoError(t, err)
	defer func() { require.NoError(t, sp.Close()) }()
	m, err := newMetrics(tel.Meter, sp)
	require.NoError(t, err)
	cost := int64(250)
	r := &ledger.Record{
		Served: decide.Target{Model: "m", Provider: "p"}, Route: ledger.Expected, Outcome: ledger.OK,
		Latency: 30 * time.Millisecond, Cost: &cost,
	}
	m.observe(r)
	m.observe(r)
	m.observe(&ledger.Record{Outcome: ledger.Rejected, Code: "INVALID_JSON"})
	w := httptest.NewRecorder()
	tel.MetricsHandler().ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), "GET", "/metrics", nil))
	body := w.Body.String()
	require.Regexp(t, `(?m)^signalbox_requests_total\{code="",model="m",.*outcome="ok",.*provider="p",route="expected"\} 2$`, body)
	require.Regexp(t, `(?m)^signalbox_cost_nano_usd_total\{code="",model="m",.*\} 500$`, body)
	require.Regexp(t, `(?m)^signalbox_requests_total\{code="INVALID_JSON",.*outcome="rejected",.*\} 1$`, body)
	require.Regexp(t, `(?m)^signalbox_request_latency_seconds_count\{code="",.*\} 2$`, body)
	require.Regexp(t, `(?m)^signalbox_gateway_time_seconds_count.* 3$`, body)
	require.Contains(t, body, "signalbox_spool_records_waiting")
}

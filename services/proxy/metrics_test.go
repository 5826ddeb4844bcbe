package proxy

import (
	"errors"
	"io"
	"log/slog"
	"math"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/pkg/telemetry"
	"github.com/signalbox/signalbox/services/proxy/internal/counters"
	"github.com/signalbox/signalbox/services/proxy/internal/gate"
	"github.com/signalbox/signalbox/services/proxy/internal/ledger"
	"github.com/signalbox/signalbox/services/proxy/internal/recordcodec"
	"github.com/signalbox/signalbox/services/proxy/internal/spool"
	"github.com/signalbox/signalbox/services/proxy/internal/tracing"
)

func TestMetrics(t *testing.T) {
	tel, err := telemetry.New(t.Context(), telemetry.Config{Service: "proxy"}, io.Discard)
	require.NoError(t, err)
	sp, err := spool.Open(spool.Config{Dir: t.TempDir(), Log: slog.New(slog.DiscardHandler), Recover: recordcodec.AbortedRecord, StripBody: recordcodec.StripContent})
	require.NoError(t, err)
	defer func() { require.NoError(t, sp.Close()) }()
	meter := tel.Meter.Meter(meterName)
	m, err := newMetrics(meter, tel.Histograms, describeNothing)
	require.NoError(t, err)
	require.NoError(t, measureSpool(meter, sp))
	r := &ledger.Record{
		Served: decide.Candidate{Model: "m", Provider: "p"}, Route: decide.RouteExpected, Outcome: ledger.OK,
		Latency: 30 * time.Millisecond, Cost: ledger.Known(250),
	}
	m.observe(r)
	m.observe(r)
	m.observe(&ledger.Record{Outcome: ledger.Rejected, Code: "INVALID_JSON"})
	m.countRejection(apperr.BudgetExceeded, "nano_usd_per_day")
	g := gate.New(gate.Limits{})
	require.NoError(t, measureGate(meter, g))
	place, err := g.Acquire(t.Context(), gate.Caller{})
	require.NoError(t, err)
	require.NoError(t, place.ReserveBytes(7))
	shared, err := counters.Open(counters.Config{URL: "redis://127.0.0.1:1"})
	require.NoError(t, err)
	defer func() { require.NoError(t, shared.Close()) }()
	svc := &Service{deps: Deps{Counters: shared, Log: slog.New(slog.DiscardHandler)}}
	require.NoError(t, errors.Join(svc.openLimits(), svc.measureLimits(meter)))
	w := httptest.NewRecorder()
	tel.MetricsHandler().ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), "GET", "/metrics", nil))
	body := w.Body.String()
	require.Regexp(t, `(?m)^signalbox_requests_total\{code="",model="m",.*outcome="ok",.*provider="p",route="expected"\} 2$`, body)
	require.Regexp(t, `(?m)^signalbox_cost_nano_usd_total\{code="",model="m",.*\} 500$`, body)
	require.Regexp(t, `(?m)^signalbox_requests_total\{code="INVALID_JSON",.*outcome="rejected",.*\} 1$`, body)
	require.Regexp(t, `(?m)^signalbox_request_latency_seconds_count\{code="",.*\} 2$`, body)
	require.Regexp(t, `(?m)^signalbox_gateway_time_seconds_count.* 3$`, body)
	require.Regexp(t, `(?m)^signalbox_limit_rejections_total\{code="BUDGET_EXCEEDED",limit="nano_usd_per_day".*\} 1$`, body)
	require.Regexp(t, `(?m)^signalbox_requests_running 1$`, body)
	require.Regexp(t, `(?m)^signalbox_requests_waiting 0$`, body)
	require.Regexp(t, `(?m)^signalbox_bodies_size_bytes 7$`, body)
	require.Regexp(t, `(?m)^signalbox_limit_round_trips_total 0$`, body)
	require.Regexp(t, `(?m)^signalbox_limits_local 0$`, body)
	require.Contains(t, body, "signalbox_spool_records_waiting")
	require.Regexp(t, `(?m)^signalbox_spool_limit_bytes 1\.073741824e\+09$`, body)
	require.Regexp(t, `(?m)^signalbox_spool_size_bytes 0$`, body)
	require.Regexp(t, `(?m)^signalbox_spool_contents_dropped_total 0$`, body)
	require.Regexp(t, `(?m)^signalbox_spool_rejected_total 0$`, body)
	require.Regexp(t, `(?m)^signalbox_spool_lost_total 0$`, body)
}

func describeNothing(c decide.Candidate) tracing.Upstream {
	return tracing.Upstream{Vendor: c.Provider, Model: c.Model}
}

func TestReadinessDescribesTheSpool(t *testing.T) {
	require.Equal(t, spoolOK, describeSpool(spool.Stats{}))
	for want, st := range map[string]spool.Stats{
		"damaged or removed": {Lost: 1},
		"power failure":      {Lost: 1, SyncFailing: true},
		"held in memory":     {SyncFailing: true, DiskFailing: true},
		"are rejected":       {DiskFailing: true, Level: spool.Shedding},
		"without content":    {Level: spool.MetadataOnly},
		"is dropped":         {Level: spool.Trimming},
	} {
		require.Contains(t, describeSpool(st), want)
	}
}

func TestBodiesLeaveMemoryForTheRest(t *testing.T) {
	require.EqualValues(t, 100, limitBodyMemory(100, math.MaxInt64), "no limit of the process")
	require.EqualValues(t, 100, limitBodyMemory(100, 1000))
	require.EqualValues(t, 80, limitBodyMemory(100, 200))
	require.EqualValues(t, 80, limitBodyMemory(0, 200))
	require.Zero(t, limitBodyMemory(0, math.MaxInt64))
}

package dashboard

import (
	"io"
	"log/slog"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/telemetry"
	"github.com/signalbox/signalbox/services/dashboard/internal/completeness"
)

func TestMetricsAreExported(t *testing.T) {
	tel, err := telemetry.New(t.Context(), telemetry.Config{Service: "dashboard"}, io.Discard)
	require.NoError(t, err)
	require.NoError(t, registerMetrics(tel.Meter, completeness.New(nil, nil, slog.New(slog.DiscardHandler))))
	batches, err := newBatchMetrics(tel.Meter, tel.Histograms)
	require.NoError(t, err)
	batches.observe(7, 3*time.Millisecond)
	w := httptest.NewRecorder()
	tel.MetricsHandler().ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), "GET", "/metrics", nil))
	for _, name := range []string{"sent", "stored", "in_flight", "missing", "lost", "dead_letters"} {
		require.Regexp(t, `(?m)^signalbox_ledger_`+name+`(\{.*\})? 0$`, w.Body.String())
	}
	require.Regexp(t, `(?m)^signalbox_ingest_records_total(\{.*\})? 7$`, w.Body.String())
	require.Regexp(t, `(?m)^signalbox_ingest_seconds_bucket\{.*le="0\.004"\} 1$`, w.Body.String())
}

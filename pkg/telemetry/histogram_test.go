package telemetry

import (
	"context"
	"math"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
)

func newTestFamily(t testing.TB, h *Histograms) *HistogramFamily {
	t.Helper()
	return h.New(HistogramSpec{Name: "test.duration", Unit: "s", Description: "A test.", Bounds: DoublingBounds(10*time.Millisecond, 3), PerUnit: Seconds})
}

func TestHistogramIsExported(t *testing.T) {
	tel, _ := start(t, Config{Service: "proxy"})
	family := newTestFamily(t, tel.Histograms)
	h := family.With(attribute.String("gen_ai.request.model", "m"))
	require.Same(t, h, family.With(attribute.String("gen_ai.request.model", "m")))
	for _, v := range []time.Duration{0, 10 * time.Millisecond, 11 * time.Millisecond, time.Minute} {
		h.Observe(int64(v))
	}
	family.With().Observe(1)
	body := scrape(tel)
	require.Regexp(t, `(?m)^test_duration_seconds_bucket\{gen_ai_request_model="m",.*le="0\.01"\} 2$`, body)
	require.Regexp(t, `(?m)^test_duration_seconds_bucket\{gen_ai_request_model="m",.*le="0\.04"\} 3$`, body)
	require.Regexp(t, `(?m)^test_duration_seconds_bucket\{gen_ai_request_model="m",.*le="\+Inf"\} 4$`, body)
	require.Regexp(t, `(?m)^test_duration_seconds_sum\{gen_ai_request_model="m".*\} 60\.021$`, body)
	require.Regexp(t, `(?m)^test_duration_seconds_count(\{[^g]*\})? 1$`, body)
}

func TestExemplarsHoldTheTrace(t *testing.T) {
	tel, _ := start(t, Config{Service: "proxy"})
	h := newTestFamily(t, tel.Histograms).With()
	h.ObserveTraced(int64(15*time.Millisecond), TraceRef{TraceID: [16]byte{0xab}, SpanID: [8]byte{0xcd}})
	require.NotContains(t, scrape(tel), "trace_id", "the plain text format has no exemplars")
	w, r := httptest.NewRecorder(), httptest.NewRequest("GET", "/metrics", nil)
	r.Header.Set("Accept", "application/openmetrics-text; version=1.0.0")
	tel.MetricsHandler().ServeHTTP(w, r)
	require.Regexp(t, `test_duration_seconds_bucket\{.*le="0\.02"\} 1 # \{.*trace_id="ab000000000000000000000000000000".*\} 0\.015`, w.Body.String())
}

func TestHistogramConcurrentUse(t *testing.T) {
	family := newTestFamily(t, nil)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for i := range int64(1000) {
				family.With().ObserveTraced(i*int64(time.Microsecond), TraceRef{})
			}
		})
	}
	wg.Wait()
	points := family.collect(time.Now())
	require.Len(t, points, 1)
	require.EqualValues(t, 4000, points[0].Count)
	require.InDelta(t, 4*0.4995, points[0].Sum, math.Pow(10, -9))
}

// BenchmarkHistogram compares a histogram with that of OpenTelemetry's SDK.
func BenchmarkHistogram(b *testing.B) {
	tel, err := New(b.Context(), Config{Service: "proxy"}, nil)
	require.NoError(b, err)
	labels := []attribute.KeyValue{attribute.String("model", "m"), attribute.String("provider", "p"), attribute.String("code", "")}
	b.Run("ours", func(b *testing.B) {
		h := newTestFamily(b, tel.Histograms).With(labels...)
		for b.Loop() {
			h.Observe(int64(30 * time.Millisecond))
		}
	})
	b.Run("SDK", func(b *testing.B) {
		h, err := tel.Meter.Meter("bench").Float64Histogram("bench")
		require.NoError(b, err)
		option := []metric.RecordOption{metric.WithAttributeSet(attribute.NewSet(labels...))}
		for b.Loop() {
			h.Record(context.Background(), 0.03, option...)
		}
	})
}

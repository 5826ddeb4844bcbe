package proxy

import (
	"fmt"
	"io"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/pkg/telemetry"
	"github.com/signalbox/signalbox/services/proxy/internal/ledger"
	"github.com/signalbox/signalbox/services/proxy/internal/tracecontext"
)

type metricsPage struct {
	*metrics
	tel *telemetry.Telemetry
}

func newMetricsPage(t *testing.T) metricsPage {
	t.Helper()
	tel, err := telemetry.New(t.Context(), telemetry.Config{Service: "proxy"}, io.Discard)
	require.NoError(t, err)
	m, err := newMetrics(tel.Meter.Meter(meterName), tel.Histograms, describeNothing)
	require.NoError(t, err)
	return metricsPage{m, tel}
}

func (p metricsPage) scrape(t *testing.T, accept string) string {
	t.Helper()
	w, r := httptest.NewRecorder(), httptest.NewRequestWithContext(t.Context(), "GET", "/metrics", nil)
	r.Header.Set("Accept", accept)
	p.tel.MetricsHandler().ServeHTTP(w, r)
	return w.Body.String()
}

func newCallRecord(model string) *ledger.Record {
	served := decide.Candidate{Model: model, Provider: "p"}
	return &ledger.Record{
		Served: served, Route: decide.RouteExpected, Outcome: ledger.OK, Kind: catalog.Chat, Stream: true, RequestedModel: "asked-" + model,
		Latency: 30 * time.Millisecond, Cost: ledger.Known(250), BaselineCost: ledger.Known(600),
		Attempts: []ledger.Attempt{
			{Candidate: decide.Candidate{Model: model, Provider: "closed"}, Code: ledger.BreakerOpen},
			{
				Candidate: served, Started: time.Millisecond, FirstToken: 9 * time.Millisecond, Ended: 29 * time.Millisecond,
				Usage: &catalog.Usage{Input: 500, CacheRead: 100, CacheWrite: 7, Output: 200, Reasoning: 20},
			},
		},
	}
}

func TestCallMetrics(t *testing.T) {
	p := newMetricsPage(t)
	p.observe(newCallRecord("m"))
	failed := newCallRecord("m")
	failed.Attempts[1].Code, failed.Attempts[1].Usage = string(apperr.ProviderTimeout), nil
	p.observe(failed)
	p.countKeyless(apperr.AuthInvalidKey)
	body := p.scrape(t, "")
	const call = `gen_ai_operation_name="chat",gen_ai_provider_name="p",gen_ai_request_model="m"`
	for _, want := range []string{
		`gen_ai_client_operation_duration_seconds_bucket\{` + call + `,.*le="0.02"\} 0`,
		`gen_ai_client_operation_duration_seconds_bucket\{` + call + `,.*le="0.04"\} 1`,
		`gen_ai_client_operation_duration_seconds_count\{error_type="PROVIDER_TIMEOUT",` + call + `.*\} 1`,
		`gen_ai_client_operation_time_to_first_chunk_seconds_count\{` + call + `.*\} 1`,
		`gen_ai_client_token_usage_sum\{` + call + `,gen_ai_token_type="input".*\} 607`,
		`gen_ai_client_inference_usage_input_tokens_total\{` + call + `.*\} 607`,
		`gen_ai_client_inference_usage_output_tokens_total\{` + call + `.*\} 200`,
		`gen_ai_client_inference_usage_cache_read_input_tokens_total\{` + call + `.*\} 100`,
		`gen_ai_client_inference_usage_cache_write_input_tokens_total\{` + call + `.*\} 7`,
		`gen_ai_client_inference_usage_reasoning_output_tokens_total\{` + call + `.*\} 20`,
		`signalbox_routed_nano_usd_total\{.*\} 500`,
		`signalbox_baseline_nano_usd_total\{.*\} 1200`,
		`signalbox_keyless_requests_total\{code="AUTH_INVALID_KEY".*\} 1`,
	} {
		require.Regexp(t, `(?m)^`+want+`$`, body)
	}
	require.NotContains(t, body, "asked-m", "clients choose the requested model")
	require.NotContains(t, body, `"closed"`, "a skipped candidate is no call")
}

func TestLabelsAreBounded(t *testing.T) {
	p := newMetricsPage(t)
	const odd = 2 * maxLabelSets
	for i := range odd {
		name := fmt.Sprintf("odd\n\"model\"-%d\xff", i)
		p.observe(newCallRecord(name))
		p.countRejection(apperr.BudgetExceeded, name)
	}
	body := p.scrape(t, "")
	series, others := map[string]int{}, ""
	for line := range strings.Lines(body) {
		name, labels, _ := strings.Cut(line, "{")
		series[name]++
		if name == "signalbox_requests_total" && strings.Contains(labels, `model="other"`) {
			others += labels
		}
	}
	for _, name := range []string{"signalbox_requests_total", "signalbox_limit_rejections_total", "gen_ai_client_operation_duration_seconds_count", "signalbox_request_latency_seconds_count"} {
		require.Equal(t, maxLabelSets+1, series[name], name)
	}
	require.Equal(t, 2*(maxLabelSets+1), series["gen_ai_client_token_usage_count"])
	require.Regexp(t, fmt.Sprintf(`^[^\n]*\} %d\n$`, odd-maxLabelSets), others, "none is lost")
}

func TestExemplarsOfRecordedTraces(t *testing.T) {
	p := newMetricsPage(t)
	p.observe(newCallRecord("m"))
	const openMetrics = "application/openmetrics-text; version=1.0.0"
	require.NotContains(t, p.scrape(t, openMetrics), "trace_id")
	r := newCallRecord("m")
	r.Trace = &tracecontext.Context{TraceID: [16]byte{0xab}, Span: [8]byte{1}, IsRecorded: true}
	p.observe(r)
	body := p.scrape(t, openMetrics)
	for _, name := range []string{"gen_ai_client_operation_duration_seconds", "signalbox_request_latency_seconds"} {
		require.Regexp(t, name+`_bucket\{.*\} 2 # \{.*trace_id="ab000000000000000000000000000000"`, body)
	}
}

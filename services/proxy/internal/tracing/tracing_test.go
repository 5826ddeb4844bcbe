package tracing

import (
	"math"
	"net/http"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/attribute"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/pkg/policy"
	"github.com/signalbox/signalbox/pkg/requestbody"
	"github.com/signalbox/signalbox/services/proxy/internal/ledger"
)

const parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

func newTestTracer(sampler sdktrace.Sampler, content bool) (*Tracer, *tracetest.InMemoryExporter) {
	spans := tracetest.NewInMemoryExporter()
	provider := sdktrace.NewTracerProvider(sdktrace.WithSyncer(spans), sdktrace.WithSampler(sampler))
	return New(Config{Provider: provider, Sampler: sampler, Content: content, Policy: func() *policy.Policy { return nil }}), spans
}

func headerWith(parent string) http.Header { return http.Header{"Traceparent": {parent}} }

func TestStartWithoutCollectorOnlyPassesOn(t *testing.T) {
	tracer := New(Config{})
	require.Nil(t, tracer.Start(uuid.New(), http.Header{}))
	require.Nil(t, tracer.Start(uuid.New(), headerWith("garbage")))
	c := tracer.Start(uuid.New(), headerWith(parent))
	require.False(t, c.IsRecorded)
	require.Equal(t, parent, c.ParentFor([8]byte{}))
	tracer.Export(&ledger.Record{Trace: c}) // must not panic
}

func TestStartSamples(t *testing.T) {
	id := uuid.New()
	on, _ := newTestTracer(sdktrace.ParentBased(sdktrace.AlwaysSample()), false)
	c := on.Start(id, http.Header{})
	require.True(t, c.IsRecorded)
	require.Equal(t, id[:8], c.TraceID[:8], "a trace that begins here begins like the id of the request")
	require.NotZero(t, c.Span)
	c = on.Start(id, headerWith(parent[:53]+"00"))
	require.False(t, c.IsRecorded, "the client does not record it")
	off, _ := newTestTracer(sdktrace.NeverSample(), false)
	require.Nil(t, off.Start(id, http.Header{}))
	require.False(t, off.Start(id, headerWith(parent)).IsRecorded)
}

// The ids of requests have fixed bits, which must not decide what is recorded. A correct sampler is
// outside the bounds in less than one of a hundred million runs.
func TestRatioOfNewTraces(t *testing.T) {
	const requests, deviations = 20_000, 6
	for _, ratio := range []float64{0.01, 0.1, 0.5, 0.9} {
		tracer, _ := newTestTracer(sdktrace.ParentBased(sdktrace.TraceIDRatioBased(ratio)), false)
		recorded := 0
		for range requests {
			if tracer.Start(uuid.Must(uuid.NewV7()), http.Header{}) != nil {
				recorded++
			}
		}
		require.InDelta(t, requests*ratio, recorded, deviations*math.Sqrt(requests*ratio*(1-ratio)), "ratio %g", ratio)
	}
}

func newRecord(id uuid.UUID, at time.Time) *ledger.Record {
	served := decide.Candidate{Model: "m", Provider: "p"}
	return &ledger.Record{
		ID: id, Time: at, Kind: catalog.Chat, Protocol: requestbody.ChatCompletions, Stream: true, Status: 200, Outcome: ledger.OK,
		RequestedModel: "auto", Served: served, Route: decide.RouteFallback, Session: "s-1", Latency: 50 * time.Millisecond,
		RoutingStarted: time.Millisecond, RoutingTime: time.Millisecond, Cost: ledger.Known(5), BaselineCost: ledger.Known(9),
		Question: &decide.Question{MaxOutputTokens: 77},
		Decision: &decide.Decision{PolicyVersion: "sha256:ab", Baseline: "large", Plan: []decide.Candidate{served}, Reason: decide.Reason{Code: "cheapest", Rule: "night"}},
		Request:  []byte(`{"messages":[{"role":"user","content":"hello there"}]}`),
		Response: []byte(`{"choices":[{"message":{"role":"assistant","content":[{"type":"text","text":"hi"}]},"finish_reason":"stop"}]}`),
		Attempts: []ledger.Attempt{
			{Candidate: decide.Candidate{Model: "m", Provider: "away"}, Code: ledger.BreakerOpen},
			{Candidate: decide.Candidate{Model: "m", Provider: "first"}, Code: "PROVIDER_TIMEOUT", Status: 504, Started: 3 * time.Millisecond, Ended: 9 * time.Millisecond, Span: [8]byte{1}},
			{
				Candidate: served, Status: 200, Started: 10 * time.Millisecond, FirstToken: 20 * time.Millisecond, Ended: 40 * time.Millisecond,
				Span: [8]byte{2}, Usage: &catalog.Usage{Input: 10, CacheRead: 5, Output: 3, Reasoning: 1},
			},
		},
	}
}

func TestExport(t *testing.T) {
	tracer, spans := newTestTracer(sdktrace.ParentBased(sdktrace.AlwaysSample()), false)
	id, at := uuid.New(), time.Now()
	r := newRecord(id, at)
	r.Trace = tracer.Start(id, headerWith(parent))
	temperature := 0.5
	r.Trace.Options.Temperature = &temperature
	tracer.Export(r)
	got := map[string]tracetest.SpanStub{}
	for _, s := range spans.GetSpans() {
		got[s.Name+"/"+s.Status.Description] = s
	}
	require.Len(t, got, 4)
	server, route := got["POST /proxy/v1/chat/completions/"], got["route/"]
	failed, served := got["chat m/PROVIDER_TIMEOUT"], got["chat m/"]
	require.Equal(t, trace.SpanKindServer, server.SpanKind)
	require.Equal(t, "b7ad6b7169203331", server.Parent.SpanID().String())
	require.Equal(t, "0af7651916cd43dd8448eb211c80319c", served.SpanContext.TraceID().String())
	require.Equal(t, trace.SpanKindInternal, route.SpanKind)
	for _, child := range []tracetest.SpanStub{route, failed, served} {
		require.Equal(t, server.SpanContext.SpanID(), child.Parent.SpanID(), child.Name)
	}
	require.Equal(t, trace.SpanKindClient, served.SpanKind)
	require.WithinDuration(t, at.Add(10*time.Millisecond), served.StartTime, 0)
	require.WithinDuration(t, at.Add(40*time.Millisecond), served.EndTime, 0)
	require.WithinDuration(t, at.Add(50*time.Millisecond), server.EndTime, 0)
	require.Equal(t, "skipped", server.Events[0].Name)
	requireAttributes(t, server, map[string]any{
		"http.response.status_code": int64(200), "signalbox.requested_model": "auto", "signalbox.route": "fallback", "signalbox.policy_hash": "sha256:ab",
		"signalbox.attempts": int64(3), "signalbox.cost_nano_usd": int64(5), "signalbox.baseline.cost_nano_usd": int64(9), "signalbox.request_id": id.String(),
	})
	requireAttributes(t, route, map[string]any{"signalbox.reason": "cheapest", "signalbox.rule": "night", "signalbox.plan": []string{"m@p"}})
	requireAttributes(t, failed, map[string]any{"error.type": "PROVIDER_TIMEOUT", "gen_ai.operation.name": "chat", "signalbox.provider": "first"})
	requireAttributes(t, served, map[string]any{
		"gen_ai.provider.name": "p", "gen_ai.request.model": "m", "gen_ai.request.stream": true, "gen_ai.request.max_tokens": int64(77),
		"gen_ai.request.temperature": 0.5, "gen_ai.conversation.id": "s-1", "gen_ai.response.time_to_first_chunk": 0.01,
		"gen_ai.usage.input_tokens": int64(15), "gen_ai.usage.output_tokens": int64(3), "gen_ai.usage.cache_read.input_tokens": int64(5),
		"gen_ai.usage.reasoning.output_tokens": int64(1), "gen_ai.response.id": "chatcmpl-" + id.String(),
	})
	for _, s := range got {
		for _, a := range s.Attributes {
			require.NotContains(t, a.Value.String(), "hello there", "content only by opt-in")
		}
	}
}

func TestContentByOptIn(t *testing.T) {
	tracer, spans := newTestTracer(sdktrace.AlwaysSample(), true)
	r := newRecord(uuid.New(), time.Now())
	r.Trace = tracer.Start(r.ID, http.Header{})
	tracer.Export(r)
	var served tracetest.SpanStub
	for _, s := range spans.GetSpans() {
		if s.Name == "chat m" && s.Status.Description == "" {
			served = s
		}
	}
	requireAttributes(t, served, map[string]any{
		"gen_ai.input.messages":  `[{"role":"user","parts":[{"type":"text","content":"hello there"}]}]`,
		"gen_ai.output.messages": `[{"role":"assistant","parts":[{"type":"text","content":"hi"}],"finish_reason":"stop"}]`,
	})
	for _, a := range served.Attributes {
		require.NotContains(t, []attribute.Key{requestContent, responseContent}, a.Key, "no text twice")
	}
	r.Request = r.Request[:20]
	require.Contains(t, contentAttributes(r), requestContent.String(string(r.Request)), "a cut text is no JSON")
	r.RequestEnd, r.RequestLen = []byte("end"), 30
	require.Contains(t, contentAttributes(r), requestContent.String(string(r.Request)+"\n… 7 bytes are not stored …\nend"))
}

func requireAttributes(t *testing.T, s tracetest.SpanStub, want map[string]any) {
	t.Helper()
	got := map[string]any{}
	for _, a := range s.Attributes {
		got[string(a.Key)] = a.Value.AsInterface()
	}
	for key, value := range want {
		require.Equal(t, value, got[key], key)
	}
	require.NotContains(t, got, attribute.Key(""))
}

func TestVendors(t *testing.T) {
	for _, tt := range []struct{ name, kind, host, want string }{
		{"mine", "openai", "api.openai.com", "openai"},
		{"mine", "openai", "acme.openai.azure.com", "azure.ai.openai"},
		{"mine", "anthropic", "127.0.0.1", "anthropic"},
		{"mine", "gemini", "127.0.0.1", "gcp.gemini"},
		{"mine", "gemini", "europe-west1-aiplatform.googleapis.com", "gcp.vertex_ai"},
		{"local", "openai", "127.0.0.1", "local"},
	} {
		require.Equal(t, tt.want, vendorOf(tt.name, tt.kind, tt.host))
	}
	require.Equal(t, "generate_content", Operation(catalog.Chat, "gcp.gemini"))
	require.Equal(t, "embeddings", Operation(catalog.Embeddings, "gcp.gemini"))
	require.Equal(t, "chat", Operation(catalog.Chat, "openai"))
}

// BenchmarkStart measures what a request without a traceparent pays while no collector is set.
func BenchmarkStart(b *testing.B) {
	tracer, h := New(Config{}), http.Header{"Content-Type": {"application/json"}}
	r := &ledger.Record{}
	b.ReportAllocs()
	for b.Loop() {
		r.Trace = tracer.Start(uuid.UUID{}, h)
		tracer.Export(r)
	}
}

package telemetry

import (
	"testing"

	"github.com/stretchr/testify/require"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"
)

func TestSpansGetTheChosenIDs(t *testing.T) {
	spans := tracetest.NewInMemoryExporter()
	provider := sdktrace.NewTracerProvider(sdktrace.WithSyncer(spans), sdktrace.WithIDGenerator(chosenIDs{}))
	tracer := provider.Tracer("test")
	ref := TraceRef{TraceID: [16]byte{1}, SpanID: [8]byte{2}}
	ctx, root := tracer.Start(WithSpanIDs(t.Context(), ref), "root")
	_, child := tracer.Start(WithSpanIDs(ctx, TraceRef{SpanID: [8]byte{3}}), "child")
	child.End()
	root.End()
	_, other := tracer.Start(t.Context(), "other")
	other.End()
	got := spans.GetSpans()
	require.Equal(t, trace.SpanID{3}, got[0].SpanContext.SpanID())
	require.Equal(t, trace.TraceID{1}, got[0].SpanContext.TraceID(), "the trace of the parent")
	require.Equal(t, trace.SpanID{2}, got[0].Parent.SpanID())
	require.Equal(t, trace.TraceID{1}, got[1].SpanContext.TraceID())
	require.True(t, got[2].SpanContext.IsValid())
	require.NotEqual(t, trace.TraceID{1}, got[2].SpanContext.TraceID())
}

func TestSamplers(t *testing.T) {
	for name, want := range map[string]string{
		"": "ParentBased{root:AlwaysOnSampler", "always_off": "AlwaysOffSampler", "parentbased_always_on": "ParentBased{root:AlwaysOnSampler",
		"parentbased_traceidratio": "ParentBased{root:TraceIDRatioBased{0.25}", "traceidratio": "TraceIDRatioBased{0.25}",
	} {
		s, err := parseSampler(name, "0.25")
		require.NoError(t, err)
		require.Contains(t, s.Description(), want)
	}
	_, err := parseSampler("sometimes", "")
	require.ErrorContains(t, err, "sometimes")
	_, err = parseSampler("traceidratio", "2")
	require.ErrorContains(t, err, "from 0 to 1")
}

package proxy

import (
	"errors"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/pkg/telemetry"
	"github.com/signalbox/signalbox/services/proxy/internal/ledger"
	"github.com/signalbox/signalbox/services/proxy/internal/tracing"
)

// describeCandidate returns where a candidate is called.
type describeCandidate func(decide.Candidate) tracing.Upstream

// callMetrics are the metrics of the GenAI conventions: they describe calls to upstreams. Of the
// model they contain the name in the policy, because clients choose other names freely.
type callMetrics struct {
	describe                         describeCandidate
	calls                            labelMap[callLabels, measuredCalls]
	duration, firstChunk, tokenUsage *telemetry.HistogramFamily
}

type callLabels struct {
	kind                  catalog.Kind
	model, provider, code string
}

// measuredCalls holds the counts of one combination of labels.
type measuredCalls struct {
	exported              metric.MeasurementOption
	duration, firstChunk  *telemetry.Histogram
	inputSize, outputSize *telemetry.Histogram
	input, output         atomic.Int64
	cacheRead, cacheWrite atomic.Int64
	reasoning             atomic.Int64
}

func (s *measuredCalls) exportedLabels() metric.MeasurementOption { return s.exported }

// callBounds returns the bounds that the conventions recommend: 10 ms, doubling up to 81.92 s.
func callBounds() []int64 { return telemetry.DoublingBounds(10*time.Millisecond, 14) }

// tokenBounds returns the bounds that the conventions recommend: powers of four.
func tokenBounds() []int64 {
	bounds := make([]int64, 14)
	for i := range bounds {
		bounds[i] = 1 << (2 * i)
	}
	return bounds
}

func (c *callMetrics) register(m metric.Meter, h *telemetry.Histograms, describe describeCandidate) error {
	c.describe = describe
	c.duration = h.New(telemetry.HistogramSpec{
		Name: "gen_ai.client.operation.duration", Unit: "s", Description: "Duration of calls to upstreams.",
		Bounds: callBounds(), PerUnit: telemetry.Seconds,
	})
	c.firstChunk = h.New(telemetry.HistogramSpec{
		Name: "gen_ai.client.operation.time_to_first_chunk", Unit: "s", Description: "Time from a streaming call to an upstream until its first content.",
		Bounds: callBounds(), PerUnit: telemetry.Seconds,
	})
	c.tokenUsage = h.New(telemetry.HistogramSpec{
		Name: "gen_ai.client.token.usage", Unit: "{token}", Description: "Tokens of calls to upstreams, by type: input (with cached tokens) or output.",
		Bounds: tokenBounds(), PerUnit: 1,
	})
	var errs [5]error
	_, errs[0] = m.Int64ObservableCounter("gen_ai.client.inference.usage.input_tokens", metric.WithUnit("{token}"), metric.WithDescription("Input tokens of calls to upstreams, with cached tokens."),
		observeEach(&c.calls, func(s *measuredCalls) int64 { return s.input.Load() }))
	_, errs[1] = m.Int64ObservableCounter("gen_ai.client.inference.usage.output_tokens", metric.WithUnit("{token}"), metric.WithDescription("Output tokens of calls to upstreams, with reasoning."),
		observeEach(&c.calls, func(s *measuredCalls) int64 { return s.output.Load() }))
	_, errs[2] = m.Int64ObservableCounter("gen_ai.client.inference.usage.cache_read.input_tokens", metric.WithUnit("{token}"), metric.WithDescription("Input tokens that upstreams read from their cache."),
		observeEach(&c.calls, func(s *measuredCalls) int64 { return s.cacheRead.Load() }))
	_, errs[3] = m.Int64ObservableCounter("gen_ai.client.inference.usage.cache_write.input_tokens", metric.WithUnit("{token}"), metric.WithDescription("Input tokens that upstreams wrote to their cache."),
		observeEach(&c.calls, func(s *measuredCalls) int64 { return s.cacheWrite.Load() }))
	_, errs[4] = m.Int64ObservableCounter("gen_ai.client.inference.usage.reasoning.output_tokens", metric.WithUnit("{token}"), metric.WithDescription("Output tokens that models used for reasoning."),
		observeEach(&c.calls, func(s *measuredCalls) int64 { return s.reasoning.Load() }))
	return errors.Join(errs[:]...)
}

func (c *callMetrics) observe(r *ledger.Record) {
	for i := range r.Attempts {
		a := &r.Attempts[i]
		if !a.WasCalled() {
			continue
		}
		s := c.calls.find(callLabels{r.Kind, a.Candidate.Model, a.Candidate.Provider, a.Code}, c.newMeasured)
		s.observe(r, a)
	}
}

func (s *measuredCalls) observe(r *ledger.Record, a *ledger.Attempt) {
	if r.Trace != nil && r.Trace.IsRecorded {
		s.duration.ObserveTraced(int64(a.Ended-a.Started), telemetry.TraceRef{TraceID: r.Trace.TraceID, SpanID: a.Span})
	} else {
		s.duration.Observe(int64(a.Ended - a.Started))
	}
	if r.Stream && a.FirstToken > a.Started {
		s.firstChunk.Observe(int64(a.FirstToken - a.Started))
	}
	if u := a.Usage; u != nil {
		input := tracing.TotalInput(u)
		s.inputSize.Observe(input)
		s.outputSize.Observe(u.Output)
		s.input.Add(input)
		s.output.Add(u.Output)
		s.addParts(u)
	}
}

// addParts adds the counts that most calls do not have.
func (s *measuredCalls) addParts(u *catalog.Usage) {
	if u.CacheRead > 0 {
		s.cacheRead.Add(u.CacheRead)
	}
	if u.CacheWrite > 0 {
		s.cacheWrite.Add(u.CacheWrite)
	}
	if u.Reasoning > 0 {
		s.reasoning.Add(u.Reasoning)
	}
}

func (c *callMetrics) newMeasured(l callLabels, isFull bool) (callLabels, *measuredCalls) {
	vendor := otherLabel
	if isFull {
		l.model, l.provider = otherLabel, otherLabel
	} else {
		vendor = c.describe(decide.Candidate{Model: l.model, Provider: l.provider}).Vendor
	}
	all := []attribute.KeyValue{
		tracing.OperationName.String(tracing.Operation(l.kind, vendor)), tracing.ProviderName.String(vendor),
		label(tracing.RequestModel, l.model), label(tracing.SignalboxProvider, l.provider),
	}
	if l.code != "" {
		all = append(all, tracing.ErrorType.String(l.code))
	}
	withType := func(t string) []attribute.KeyValue {
		return append(all[:len(all):len(all)], tracing.TokenType.String(t))
	}
	return l, &measuredCalls{
		exported: metric.WithAttributeSet(attribute.NewSet(all...)), duration: c.duration.With(all...), firstChunk: c.firstChunk.With(all...),
		inputSize: c.tokenUsage.With(withType(tracing.InputTokens)...), outputSize: c.tokenUsage.With(withType(tracing.OutputTokens)...),
	}
}

package proxy

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/telemetry"
	"github.com/signalbox/signalbox/services/proxy/internal/ledger"
)

const meterName = "signalbox/proxy"

// metrics holds the instruments that are updated per request. The measure functions create the
// other instruments. All labels of names that begin with signalbox are always present.
type metrics struct {
	requests labelMap[labels, measured]
	// latency has the labels of requests.
	latency     *telemetry.HistogramFamily
	gatewayTime *telemetry.Histogram
	rejections  labelMap[rejection, count]
	keyless     labelMap[apperr.Code, count]
	calls       callMetrics
}

func newMetrics(m metric.Meter, h *telemetry.Histograms, describe describeCandidate) (*metrics, error) {
	out := &metrics{}
	out.latency = h.New(telemetry.HistogramSpec{
		Name: "signalbox_request_latency", Unit: "s", Description: "Time from the request headers until the proxy sends the last part of the response.",
		Bounds: callBounds(), PerUnit: telemetry.Seconds,
	})
	out.gatewayTime = h.New(telemetry.HistogramSpec{
		Name: "signalbox_gateway_time", Unit: "s", Description: "Part of the latency that was not spent in upstream calls.",
		Bounds: telemetry.DoublingBounds(62500*time.Nanosecond, 14), PerUnit: telemetry.Seconds,
	}).With()
	var errs [6]error
	_, errs[0] = m.Int64ObservableCounter("signalbox_requests", metric.WithDescription("Chat and embeddings requests with an accepted key, by outcome."),
		observeEach(&out.requests, func(s *measured) int64 { return s.requests.Load() }))
	_, errs[1] = m.Int64ObservableCounter("signalbox_cost_nano_usd", metric.WithDescription("Cost of all requests whose prices are known."),
		observeEach(&out.requests, func(s *measured) int64 { return s.cost.Load() }))
	_, errs[2] = m.Int64ObservableCounter("signalbox_routed_nano_usd", metric.WithDescription("Cost of the requests whose cost and baseline cost are known. Savings are signalbox_baseline_nano_usd minus this."),
		observeEach(&out.requests, func(s *measured) int64 { return s.routed.Load() }))
	_, errs[3] = m.Int64ObservableCounter("signalbox_baseline_nano_usd", metric.WithDescription("What the requests of signalbox_routed_nano_usd would have cost with their baseline model."),
		observeEach(&out.requests, func(s *measured) int64 { return s.baseline.Load() }))
	_, errs[4] = m.Int64ObservableCounter("signalbox_limit_rejections", metric.WithDescription("Requests rejected by a limit of their key or account, by code and limit."),
		observeEach(&out.rejections, func(c *count) int64 { return c.n.Load() }))
	_, errs[5] = m.Int64ObservableCounter("signalbox_keyless_requests", metric.WithDescription("Requests that failed before their key was accepted, by code. They have no record."),
		observeEach(&out.keyless, func(c *count) int64 { return c.n.Load() }))
	return out, errors.Join(errors.Join(errs[:]...), out.calls.register(m, h, describe))
}

// observe makes an instrument export the result of read.
func observe(read func() int64) metric.Int64ObservableOption {
	return metric.WithInt64Callback(func(_ context.Context, o metric.Int64Observer) error {
		o.Observe(read())
		return nil
	})
}

func oneIf(condition bool) int64 {
	if condition {
		return 1
	}
	return 0
}

type labels struct{ model, provider, route, outcome, code string }

// measured holds the counts of one combination of labels.
type measured struct {
	exported                         metric.MeasurementOption
	requests, cost, routed, baseline atomic.Int64
	latency                          *telemetry.Histogram
}

func (s *measured) exportedLabels() metric.MeasurementOption { return s.exported }

// count is a counter with labels.
type count struct {
	exported metric.MeasurementOption
	n        atomic.Int64
}

func (c *count) exportedLabels() metric.MeasurementOption { return c.exported }

func newCount(labels ...attribute.KeyValue) *count {
	return &count{exported: metric.WithAttributeSet(attribute.NewSet(labels...))}
}

func (m *metrics) observe(r *ledger.Record) {
	s := m.requests.find(labels{r.Served.Model, r.Served.Provider, string(r.Route), string(r.Outcome), r.Code}, m.newMeasured)
	s.requests.Add(1)
	if r.Cost.Known {
		s.cost.Add(r.Cost.Nano)
	}
	if r.Cost.Known && r.BaselineCost.Known {
		s.routed.Add(r.Cost.Nano)
		s.baseline.Add(r.BaselineCost.Nano)
	}
	if r.Trace != nil && r.Trace.IsRecorded {
		s.latency.ObserveTraced(int64(r.Latency), telemetry.TraceRef{TraceID: r.Trace.TraceID, SpanID: r.Trace.Span})
	} else {
		s.latency.Observe(int64(r.Latency))
	}
	m.gatewayTime.Observe(int64(r.GatewayTime()))
	m.calls.observe(r)
}

// newMeasured creates the counts of labels. Beyond the limit of combinations, models and providers
// have the name otherLabel; the other labels have few values.
func (m *metrics) newMeasured(l labels, isFull bool) (labels, *measured) {
	if isFull {
		l.model, l.provider = otherLabel, otherLabel
	}
	all := []attribute.KeyValue{
		label("model", l.model), label("provider", l.provider), attribute.String("route", l.route),
		attribute.String("outcome", l.outcome), attribute.String("code", l.code),
	}
	return l, &measured{exported: metric.WithAttributeSet(attribute.NewSet(all...)), latency: m.latency.With(all...)}
}

type rejection struct {
	code  apperr.Code
	limit string
}

func (m *metrics) countRejection(code apperr.Code, limit string) {
	m.rejections.find(rejection{code, limit}, func(r rejection, isFull bool) (rejection, *count) {
		if isFull {
			r.limit = otherLabel
		}
		return r, newCount(attribute.String("code", string(r.code)), label("limit", r.limit))
	}).n.Add(1)
}

func (m *metrics) countKeyless(code apperr.Code) {
	m.keyless.find(code, func(c apperr.Code, _ bool) (apperr.Code, *count) {
		return c, newCount(attribute.String("code", string(c)))
	}).n.Add(1)
}

func formatCost(a ledger.Amount) string {
	if !a.Known {
		return "unpriced"
	}
	return catalog.FormatUSD(a.Nano)
}

func formatSavings(r *ledger.Record) string {
	if !r.Cost.Known || !r.BaselineCost.Known {
		return "unpriced"
	}
	return catalog.FormatUSD(r.BaselineCost.Nano - r.Cost.Nano)
}

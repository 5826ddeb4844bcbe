package proxy

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/services/proxy/internal/ledger"
)

const meterName = "signalbox/proxy"

// metrics has the instruments that requests move; measureSpool and
// providers.measure have the others. Labels are bounded by the policy
// and the code table, and are always present.
type metrics struct {
	// sets has a *measured for every combination of labels seen: making labels
	// costs more than counting.
	sets     sync.Map
	latency  metric.Float64Histogram
	overhead metric.Float64Histogram
	refused  metric.Int64Counter
}

func newMetrics(m metric.Meter) (*metrics, error) {
	out := &metrics{}
	var errs [5]error
	out.latency, errs[0] = m.Float64Histogram("signalbox_request_latency", metric.WithUnit("s"), metric.WithDescription("From the headers read to the last byte."))
	out.overhead, errs[1] = m.Float64Histogram("signalbox_gateway_time", metric.WithUnit("s"), metric.WithDescription("The part of the latency that no upstream accounts for."))
	_, errs[2] = m.Int64ObservableCounter("signalbox_requests", metric.WithDescription("Requests with an accepted key, by how they ended."),
		out.each(func(s *measured) int64 { return s.requests.Load() }))
	_, errs[3] = m.Int64ObservableCounter("signalbox_cost_nano_usd", metric.WithDescription("Cost of all attempts, where the price is known."),
		out.each(func(s *measured) int64 { return s.cost.Load() }))
	out.refused, errs[4] = m.Int64Counter("signalbox_limit_refusals", metric.WithDescription("Requests that a limit of their key or account refused, by code and limit."))
	return out, errors.Join(errs[:]...)
}

// each shows a sum of every combination of labels.
func (m *metrics) each(sum func(*measured) int64) metric.Int64ObservableCounterOption {
	return metric.WithInt64Callback(func(_ context.Context, o metric.Int64Observer) error {
		m.sets.Range(func(_, v any) bool {
			s := v.(*measured)
			o.Observe(sum(s), s.labels)
			return true
		})
		return nil
	})
}

// labels tell requests apart.
type labels struct{ model, provider, route, outcome, code string }

// measured is what was counted under one combination of labels.
type measured struct {
	labels         metric.MeasurementOption
	record         []metric.RecordOption
	requests, cost atomic.Int64
}

func (m *metrics) observe(r *ledger.Record) {
	ctx := context.Background()
	s := m.set(labels{r.Served.Model, r.Served.Provider, string(r.Route), string(r.Outcome), r.Code})
	s.requests.Add(1)
	if r.Cost.Known {
		s.cost.Add(r.Cost.Nano)
	}
	m.latency.Record(ctx, r.Latency.Seconds(), s.record...)
	m.overhead.Record(ctx, r.GatewayTime().Seconds())
}

// refuse counts a request that a limit refused.
func (m *metrics) refuse(code apperr.Code, limit string) {
	m.refused.Add(context.Background(), 1, metric.WithAttributeSet(attribute.NewSet(
		attribute.String("code", string(code)), attribute.String("limit", limit),
	)))
}

func (m *metrics) set(l labels) *measured {
	if found, ok := m.sets.Load(l); ok {
		return found.(*measured)
	}
	option := metric.WithAttributeSet(attribute.NewSet(
		attribute.String("model", l.model),
		attribute.String("provider", l.provider),
		attribute.String("route", l.route),
		attribute.String("outcome", l.outcome),
		attribute.String("code", l.code),
	))
	found, _ := m.sets.LoadOrStore(l, &measured{labels: option, record: []metric.RecordOption{option}})
	return found.(*measured)
}

// money is a sum for a log line.
func money(a ledger.Amount) string {
	if !a.Known {
		return "unpriced"
	}
	return catalog.USD(a.Nano)
}

// kept is what routing kept, for a log line.
func kept(r *ledger.Record) string {
	if !r.Cost.Known || !r.Baseline.Known {
		return "unpriced"
	}
	return catalog.USD(r.Baseline.Nano - r.Cost.Nano)
}

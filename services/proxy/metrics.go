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

// metrics holds the instruments that are updated per request. The measure functions create the
// other instruments. All labels are always present. The number of their values is limited by
// the policy and the table of error codes.
type metrics struct {
	// sets maps labels to *measured. Its entries are reused, because creating labels costs more
	// than counting.
	sets            sync.Map
	latency         metric.Float64Histogram
	overhead        metric.Float64Histogram
	limitRejections metric.Int64Counter
}

func newMetrics(m metric.Meter) (*metrics, error) {
	out := &metrics{}
	var errs [5]error
	out.latency, errs[0] = m.Float64Histogram("signalbox_request_latency", metric.WithUnit("s"), metric.WithDescription("Time from the request headers until the proxy sends the last part of the response."))
	out.overhead, errs[1] = m.Float64Histogram("signalbox_gateway_time", metric.WithUnit("s"), metric.WithDescription("Part of the latency that was not spent in upstream calls."))
	_, errs[2] = m.Int64ObservableCounter("signalbox_requests", metric.WithDescription("Chat and embeddings requests with an accepted key, by outcome."),
		out.observeEach(func(s *measured) int64 { return s.requests.Load() }))
	_, errs[3] = m.Int64ObservableCounter("signalbox_cost_nano_usd", metric.WithDescription("Cost of all requests whose prices are known."),
		out.observeEach(func(s *measured) int64 { return s.cost.Load() }))
	out.limitRejections, errs[4] = m.Int64Counter("signalbox_limit_rejections", metric.WithDescription("Requests rejected by a limit of their key or account, by code and limit."))
	return out, errors.Join(errs[:]...)
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

// observeEach exports one value for every combination of labels.
func (m *metrics) observeEach(sum func(*measured) int64) metric.Int64ObservableCounterOption {
	return metric.WithInt64Callback(func(_ context.Context, o metric.Int64Observer) error {
		m.sets.Range(func(_, v any) bool {
			s := v.(*measured)
			o.Observe(sum(s), s.labels)
			return true
		})
		return nil
	})
}

type labels struct{ model, provider, route, outcome, code string }

// measured holds the counts of one combination of labels.
type measured struct {
	labels         metric.MeasurementOption
	record         []metric.RecordOption
	requests, cost atomic.Int64
}

func (m *metrics) observe(r *ledger.Record) {
	ctx := context.Background()
	s := m.measuredFor(labels{r.Served.Model, r.Served.Provider, string(r.Route), string(r.Outcome), r.Code})
	s.requests.Add(1)
	if r.Cost.Known {
		s.cost.Add(r.Cost.Nano)
	}
	m.latency.Record(ctx, r.Latency.Seconds(), s.record...)
	m.overhead.Record(ctx, r.GatewayTime().Seconds())
}

func (m *metrics) countRejection(code apperr.Code, limit string) {
	m.limitRejections.Add(context.Background(), 1, metric.WithAttributeSet(attribute.NewSet(
		attribute.String("code", string(code)), attribute.String("limit", limit),
	)))
}

func (m *metrics) measuredFor(l labels) *measured {
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

package proxy

import (
	"context"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/services/proxy/internal/ledger"
	"github.com/signalbox/signalbox/services/proxy/internal/spool"
)

// metrics has every instrument of the proxy. Labels are bounded by the policy
// and the code table, and are always present.
type metrics struct {
	requests metric.Int64Counter
	latency  metric.Float64Histogram
	overhead metric.Float64Histogram
	cost     metric.Int64Counter
}

func newMetrics(provider metric.MeterProvider, sp *spool.Spool) (*metrics, error) {
	m := provider.Meter("signalbox/proxy")
	var out metrics
	var err error
	note := func(e error) {
		if err == nil {
			err = e
		}
	}
	var e error
	out.requests, e = m.Int64Counter("signalbox_requests", metric.WithDescription("Requests with an accepted key, by how they ended."))
	note(e)
	out.latency, e = m.Float64Histogram("signalbox_request_latency", metric.WithUnit("s"), metric.WithDescription("From the headers read to the last byte."))
	note(e)
	out.overhead, e = m.Float64Histogram("signalbox_gateway_time", metric.WithUnit("s"), metric.WithDescription("The part of the latency that no upstream accounts for."))
	note(e)
	out.cost, e = m.Int64Counter("signalbox_cost_nano_usd", metric.WithDescription("Cost of all attempts, where the price is known."))
	note(e)
	_, e = m.Int64ObservableGauge("signalbox_spool_records_waiting", metric.WithDescription("Records written here that the store has not confirmed."),
		metric.WithInt64Callback(func(_ context.Context, o metric.Int64Observer) error {
			o.Observe(int64(sp.Stats().Waiting))
			return nil
		}))
	note(e)
	return &out, err
}

func (m *metrics) observe(r *ledger.Record) {
	ctx := context.Background()
	labels := metric.WithAttributeSet(attribute.NewSet(
		attribute.String("model", r.Served.Model),
		attribute.String("provider", r.Served.Provider),
		attribute.String("route", string(r.Route)),
		attribute.String("outcome", string(r.Outcome)),
		attribute.String("code", r.Code),
	))
	m.requests.Add(ctx, 1, labels)
	m.latency.Record(ctx, r.Latency.Seconds(), labels)
	m.overhead.Record(ctx, r.GatewayTime().Seconds(), labels)
	if r.Cost != nil {
		m.cost.Add(ctx, *r.Cost, labels)
	}
}

// money is a sum for a log line.
func money(nano *int64) string {
	if nano == nil {
		return "unpriced"
	}
	return catalog.USD(*nano)
}

// kept is what routing kept, for a log line.
func kept(r *ledger.Record) string {
	if r.Cost == nil || r.Baseline == nil {
		return "unpriced"
	}
	return catalog.USD(*r.Baseline - *r.Cost)
}

package proxy

import (
	"context"
	"sync"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/services/proxy/internal/ledger"
	"github.com/signalbox/signalbox/services/proxy/internal/spool"
)

// metrics has every instrument of the proxy. Labels are bounded by the policy
// and the code table, and are always present.
type metrics struct {
	// sets has the labels of every combination seen: making them costs more
	// than counting.
	sets     sync.Map
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

// labels tell requests apart.
type labels struct{ model, provider, route, outcome, code string }

func (m *metrics) observe(r *ledger.Record) {
	ctx := context.Background()
	set := m.set(labels{r.Served.Model, r.Served.Provider, string(r.Route), string(r.Outcome), r.Code})
	m.requests.Add(ctx, 1, set.add...)
	m.latency.Record(ctx, r.Latency.Seconds(), set.record...)
	m.overhead.Record(ctx, r.GatewayTime().Seconds(), set.record...)
	if r.Cost != nil {
		m.cost.Add(ctx, *r.Cost, set.add...)
	}
}

// measured are the labels in the two forms that instruments take.
type measured struct {
	add    []metric.AddOption
	record []metric.RecordOption
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
	found, _ := m.sets.LoadOrStore(l, &measured{[]metric.AddOption{option}, []metric.RecordOption{option}})
	return found.(*measured)
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

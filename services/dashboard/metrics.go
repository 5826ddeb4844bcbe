package dashboard

import (
	"context"
	"errors"

	"go.opentelemetry.io/otel/metric"

	"github.com/signalbox/signalbox/services/dashboard/internal/meter"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

// measure shows how complete the ledger is, as it was counted last.
func measure(provider metric.MeterProvider, count *meter.Meter) error {
	if provider == nil {
		return nil
	}
	m := provider.Meter("signalbox/dashboard")
	var errs []error
	for _, g := range []struct {
		name, text string
		value      func(record.Meter) int64
	}{
		{"signalbox_ledger_sent", "Records that proxies say they sent.", func(m record.Meter) int64 { return m.Sent }},
		{"signalbox_ledger_stored", "Records sent that the store holds, dead letters included.", func(m record.Meter) int64 { return m.Stored }},
		{"signalbox_ledger_in_flight", "Records sent that a proxy still holds.", func(m record.Meter) int64 { return m.InFlight }},
		{"signalbox_ledger_missing", "Records sent that are neither stored nor known to be held.", func(m record.Meter) int64 { return m.Missing }},
		{"signalbox_ledger_lost", "Records that were damaged before they could be sent.", func(m record.Meter) int64 { return m.Lost }},
		{"signalbox_ledger_dead_letters", "Records that are stored but cannot be read.", func(m record.Meter) int64 { return m.DeadLetters }},
	} {
		_, err := m.Int64ObservableGauge(g.name, metric.WithDescription(g.text),
			metric.WithInt64Callback(func(_ context.Context, o metric.Int64Observer) error {
				o.Observe(g.value(count.Total()))
				return nil
			}))
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

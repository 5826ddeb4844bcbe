package dashboard

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel/metric"

	"github.com/signalbox/signalbox/pkg/telemetry"
	"github.com/signalbox/signalbox/services/dashboard/internal/completeness"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

// batchMetrics measures the batches of records that are stored.
type batchMetrics struct {
	records atomic.Int64
	took    *telemetry.Histogram
}

func newBatchMetrics(provider metric.MeterProvider, h *telemetry.Histograms) (*batchMetrics, error) {
	b := &batchMetrics{took: h.New(telemetry.HistogramSpec{
		Name: "signalbox_ingest", Unit: "s", Description: "Duration of storing a batch of records, repetitions included.",
		Bounds: telemetry.DoublingBounds(time.Millisecond, 14), PerUnit: telemetry.Seconds,
	}).With()}
	if provider == nil {
		return b, nil
	}
	_, err := provider.Meter("signalbox/dashboard").Int64ObservableCounter("signalbox_ingest_records", metric.WithDescription("Records that this dashboard stored, repeated ones and dead letters included."),
		metric.WithInt64Callback(func(_ context.Context, o metric.Int64Observer) error {
			o.Observe(b.records.Load())
			return nil
		}))
	return b, err
}

func (b *batchMetrics) observe(records int, took time.Duration) {
	b.records.Add(int64(records))
	b.took.Observe(int64(took))
}

// registerMetrics registers one gauge for each number of the last completeness
// count: how many records the proxies sent, and how many of them are stored.
func registerMetrics(provider metric.MeterProvider, monitor *completeness.Monitor) error {
	if provider == nil {
		return nil
	}
	m := provider.Meter("signalbox/dashboard")
	var errs []error
	for _, g := range []struct {
		name, text string
		value      func(record.DeliveryCounts) int64
	}{
		{"signalbox_ledger_sent", "Records that proxies report as sent.", func(m record.DeliveryCounts) int64 { return m.Sent }},
		{"signalbox_ledger_stored", "Sent records that are in the store, dead letters included.", func(m record.DeliveryCounts) int64 { return m.Stored }},
		{"signalbox_ledger_in_flight", "Sent records that are not stored yet but still in a proxy's spool.", func(m record.DeliveryCounts) int64 { return m.InFlight }},
		{"signalbox_ledger_missing", "Sent records that are neither stored nor known to be in a spool.", func(m record.DeliveryCounts) int64 { return m.Missing }},
		{"signalbox_ledger_lost", "Records that were damaged or removed on a proxy's disk before they were stored.", func(m record.DeliveryCounts) int64 { return m.Lost }},
		{"signalbox_ledger_dead_letters", "Stored records that cannot be decoded.", func(m record.DeliveryCounts) int64 { return m.DeadLetters }},
	} {
		_, err := m.Int64ObservableGauge(g.name, metric.WithDescription(g.text),
			metric.WithInt64Callback(func(_ context.Context, o metric.Int64Observer) error {
				o.Observe(g.value(monitor.Total()))
				return nil
			}))
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

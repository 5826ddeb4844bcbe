package telemetry

import (
	"context"
	"errors"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/signalbox/signalbox/pkg/health"
)

// MeasureReadiness exports the readiness of the process and the result of each check.
func (t *Telemetry) MeasureReadiness(ready *health.Readiness) error {
	m := t.Meter.Meter("signalbox/process")
	_, err := m.Int64ObservableGauge("signalbox_ready", metric.WithDescription("1 while the process can serve requests, otherwise 0."),
		metric.WithInt64Callback(func(_ context.Context, o metric.Int64Observer) error {
			o.Observe(oneIf(ready.Report().Status.Serves()))
			return nil
		}))
	_, checkErr := m.Int64ObservableGauge("signalbox_check_failing", metric.WithDescription("1 while a readiness check fails, otherwise 0, by check."),
		metric.WithInt64Callback(func(_ context.Context, o metric.Int64Observer) error {
			for _, c := range ready.Checks() {
				o.Observe(oneIf(!c.OK), metric.WithAttributes(attribute.String("check", c.Name)))
			}
			return nil
		}))
	return errors.Join(err, checkErr)
}

func oneIf(condition bool) int64 {
	if condition {
		return 1
	}
	return 0
}

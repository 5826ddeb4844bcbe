package proxy

import (
	"context"
	"strings"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/signalbox/signalbox/services/proxy/internal/breaker"
)

// measureBreakers shows the breakers of the targets that were called.
func measureBreakers(m metric.Meter, set *breaker.Set) error {
	worth := map[breaker.Phase]int64{breaker.HalfOpen: 1, breaker.Open: 2}
	_, err := m.Int64ObservableGauge("signalbox_breaker_state",
		metric.WithDescription("0 while a target is in use, 1 while it is tried again, 2 while it is out of use."),
		metric.WithInt64Callback(func(_ context.Context, o metric.Int64Observer) error {
			for _, st := range set.States() {
				o.Observe(worth[st.Phase], metric.WithAttributes(
					attribute.String("model", st.Target.Model), attribute.String("provider", st.Target.Provider)))
			}
			return nil
		}))
	return err
}

// outOfUse names the targets whose breakers are not closed, for people; it is
// empty when all is well.
func outOfUse(set *breaker.Set) string {
	var all []string
	for _, st := range set.States() {
		if st.Phase != breaker.Closed {
			all = append(all, st.Target.Model+" at "+st.Target.Provider)
		}
	}
	return strings.Join(all, ", ")
}

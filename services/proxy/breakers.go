package proxy

import (
	"context"
	"strings"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/signalbox/signalbox/services/proxy/internal/breaker"
)

// measureBreakers exports the state of all existing breakers.
func measureBreakers(m metric.Meter, set *breaker.Set) error {
	valueOf := map[breaker.Phase]int64{breaker.HalfOpen: 1, breaker.Open: 2}
	_, err := m.Int64ObservableGauge("signalbox_breaker_state",
		metric.WithDescription("State of the breaker: 0 closed, 1 half open, 2 open."),
		metric.WithInt64Callback(func(_ context.Context, o metric.Int64Observer) error {
			for _, st := range set.Statuses() {
				o.Observe(valueOf[st.Phase], metric.WithAttributes(
					attribute.String("model", st.Candidate.Model), attribute.String("provider", st.Candidate.Provider)))
			}
			return nil
		}))
	return err
}

// openBreakers lists the candidates whose breakers are not closed, or returns "" if there are
// none.
func openBreakers(set *breaker.Set) string {
	var all []string
	for _, st := range set.Statuses() {
		if st.Phase != breaker.Closed {
			all = append(all, st.Candidate.Model+" at "+st.Candidate.Provider)
		}
	}
	return strings.Join(all, ", ")
}

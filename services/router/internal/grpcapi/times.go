package grpcapi

import (
	"time"

	"go.opentelemetry.io/otel/attribute"

	"github.com/signalbox/signalbox/pkg/telemetry"
)

// DecisionTimes measures decisions.
type DecisionTimes struct{ decided, refused *telemetry.Histogram }

// NewDecisionTimes returns the histograms of decisions. If h is nil, they are not exported.
func NewDecisionTimes(h *telemetry.Histograms) DecisionTimes {
	family := h.New(telemetry.HistogramSpec{
		Name: "signalbox_decision", Unit: "s", Description: "Duration of decisions in the router, by result: decided or refused.",
		Bounds: telemetry.DoublingBounds(4*time.Microsecond, 14), PerUnit: telemetry.Seconds,
	})
	result := func(name string) *telemetry.Histogram { return family.With(attribute.String("result", name)) }
	return DecisionTimes{decided: result("decided"), refused: result("refused")}
}

func (t DecisionTimes) observe(took time.Duration, err error) {
	if err != nil {
		t.refused.Observe(int64(took))
		return
	}
	t.decided.Observe(int64(took))
}

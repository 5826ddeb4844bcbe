package engine

import (
	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/services/router/internal/evidence"
)

// UseCorrections makes decisions use what this installation has learned.
func (e *Engine) UseCorrections(t *evidence.Table) { e.enricher.UseCorrections(t) }

// ShippedPredictor is the version of the predictions without corrections.
func (e *Engine) ShippedPredictor() string { return e.enricher.ShippedVersion() }

// PredictShipped returns what is predicted of a model of the active policy for the recorded
// features of a request, without corrections, and the topic of the request. It returns false
// if the policy has no such model, or if nothing is known of its quality.
func (e *Engine) PredictShipped(model string, f decide.NamedValues) (quality int64, topic string, ok bool) {
	a, _ := e.Active()
	m, ok := a.Policy.Model(model)
	if !ok {
		return 0, "", false
	}
	return e.enricher.PredictShipped(m, f)
}

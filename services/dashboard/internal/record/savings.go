package record

import "github.com/signalbox/signalbox/pkg/saturate"

// FailedOutcomes are the outcomes of requests that a provider or the gateway failed to
// complete. A client that disconnects is not among them.
func FailedOutcomes() []Outcome { return []Outcome{OutcomeError, OutcomeInterrupted, OutcomeAborted} }

// ApplyBaselineRule sets the baseline cost of a failed request to 0. The default model
// could not have charged for a response that the client did not get, so what the attempts
// cost counts against the savings, and a failure never earns any. Package codec applies the
// rule to every record that it decodes: new ones, stored ones and those of older proxies.
func (r *Record) ApplyBaselineRule() {
	for _, failed := range FailedOutcomes() {
		if r.Outcome == failed {
			r.BaselineCost, r.BaselineCosts, r.BaselinePrice = new(int64), &Costs{}, nil
		}
	}
}

// Saved returns the baseline cost minus the routed cost, which may be negative.
// It is nil if either price is unknown.
func (r *Record) Saved() *int64 {
	if r.Cost == nil || r.BaselineCost == nil {
		return nil
	}
	saved := saturate.Sub(*r.BaselineCost, *r.Cost)
	return &saved
}

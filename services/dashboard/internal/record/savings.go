package record

import (
	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/saturate"
)

// ApplyBaselineRule sets the baseline cost of a failed request to 0: see
// catalog.HasBaselineCost. Proxies do it too, but package codec applies the rule to every
// record that it decodes, because stored records and those of older proxies lack it.
func (r *Record) ApplyBaselineRule() {
	if !catalog.HasBaselineCost(string(r.Outcome)) {
		r.BaselineCost, r.BaselineCosts, r.BaselinePrice = new(int64), &Costs{}, nil
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

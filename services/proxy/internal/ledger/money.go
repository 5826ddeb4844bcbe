package ledger

import (
	"time"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/decide"
)

// Prices finds what a model costs where.
type Prices interface {
	// Price returns the price of a target at a time; false when unpriced. A
	// target without a provider is the model's first place.
	Price(t decide.Target, at time.Time) (catalog.Price, bool)
}

// Settle computes what the request cost and what its baseline would have: the
// same tokens at the price of the baseline's first place. A request that produced nothing has a
// baseline of 0, and what its attempts cost counts against us. The prices are
// kept with the amounts, so that no later edit changes them.
func (r *Record) Settle(prices Prices) {
	amounts := make([]int64, len(r.Attempts)+2) // of each, and the two totals
	r.Cost, r.Costs = &amounts[0], catalog.Parts{}
	for i := range r.Attempts {
		a := &r.Attempts[i]
		known := true
		a.Cost = &amounts[i+1]
		if a.Usage != nil {
			a.Price, a.Costs, *a.Cost, known = charge(prices, a.Target, r.Time, a.Usage)
		}
		if !known {
			a.Cost, r.Cost = nil, nil
		}
		r.add(a)
	}
	known := true
	r.Baseline = &amounts[len(amounts)-1]
	if r.Produced() {
		r.BaselinePrice, r.BaselineCosts, *r.Baseline, known = charge(prices, decide.Target{Model: r.Decision.Baseline}, r.Time, &r.Usage)
	}
	if !known {
		r.Baseline = nil
	}
}

// charge is false when the target has no price. The price is the one used: of
// tiers, that of the request's size.
func charge(prices Prices, t decide.Target, at time.Time, u *catalog.Usage) (catalog.Price, catalog.Parts, int64, bool) {
	price, ok := prices.Price(t, at)
	if !ok {
		return catalog.Price{}, catalog.Parts{}, 0, false
	}
	price = price.For(*u)
	parts, total := catalog.Costs(price, *u)
	return price, parts, total, true
}

// add counts an attempt. It saturates, and an unknown part makes the sum
// unknown: showing the known part alone would look like the whole.
func (r *Record) add(a *Attempt) {
	if r.Cost == nil {
		r.Costs = catalog.Parts{}
		return
	}
	r.Costs = r.Costs.Plus(a.Costs)
	*r.Cost = r.Costs.Sum()
}

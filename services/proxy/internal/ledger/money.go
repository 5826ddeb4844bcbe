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

// Amount is a sum in nano-USD; the zero one is not known.
type Amount struct {
	Nano  int64
	Known bool
}

// Known is an amount that is.
func Known(nano int64) Amount { return Amount{nano, true} }

// Settle computes what the request cost and what its baseline would have: the
// same tokens at the price of the baseline's first place. A request that produced nothing has a
// baseline of 0, and what its attempts cost counts against us. The prices are
// kept with the amounts, so that no later edit changes them.
func (r *Record) Settle(prices Prices) {
	r.Cost, r.Costs = Known(0), catalog.Parts{}
	for i := range r.Attempts {
		a := &r.Attempts[i]
		a.Cost = Known(0)
		if a.Usage != nil {
			a.Price, a.Costs, a.Cost = charge(prices, a.Target, r.Time, a.Usage)
		}
		r.add(a)
	}
	r.Baseline = Known(0)
	if r.Produced() {
		r.BaselinePrice, r.BaselineCosts, r.Baseline = charge(prices, decide.Target{Model: r.Decision.Baseline}, r.Time, &r.Usage)
	}
}

// expect makes the record that of a request whose first target has read so many
// tokens and died, and unexpect that of one which has not begun.
func (r *Record) expect(prices Prices, inputTokens int64) {
	r.Estimated, r.Usage = true, catalog.Usage{Input: inputTokens}
	r.note.first[0] = Attempt{Target: r.Decision.Plan[0], Usage: &r.Usage, Estimated: true}
	r.Attempts = r.note.first[:]
	r.Settle(prices)
}

func (r *Record) unexpect() {
	r.Estimated, r.Usage, r.Attempts = false, catalog.Usage{}, nil
	r.Cost, r.Costs = Amount{}, catalog.Parts{}
	r.Baseline, r.BaselineCosts, r.BaselinePrice = Amount{}, catalog.Parts{}, catalog.Price{}
	r.note.first[0] = Attempt{} // it points into the record
}

// charge is what some tokens cost, not known when the target has no price. The
// price is the one used: of tiers, that of the request's size.
func charge(prices Prices, t decide.Target, at time.Time, u *catalog.Usage) (catalog.Price, catalog.Parts, Amount) {
	price, ok := prices.Price(t, at)
	if !ok {
		return catalog.Price{}, catalog.Parts{}, Amount{}
	}
	price = price.For(*u)
	parts, total := catalog.Costs(price, *u)
	return price, parts, Known(total)
}

// add counts an attempt. It saturates, and an unknown part makes the sum
// unknown: showing the known part alone would look like the whole.
func (r *Record) add(a *Attempt) {
	if !a.Cost.Known || !r.Cost.Known {
		r.Cost, r.Costs = Amount{}, catalog.Parts{}
		return
	}
	r.Costs = r.Costs.Plus(a.Costs)
	r.Cost.Nano = r.Costs.Sum()
}

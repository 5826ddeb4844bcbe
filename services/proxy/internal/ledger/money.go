package ledger

import (
	"time"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/decide"
)

// Prices returns the prices of candidates.
type Prices interface {
	// Price returns the price of a candidate at a time, and false if it has none. If
	// the candidate has no provider, Price uses the first endpoint of the model.
	Price(t decide.Candidate, at time.Time) (catalog.Price, bool)
}

// Amount is a sum of money in nano-USD. The zero Amount means unknown, not 0.
type Amount struct {
	Nano  int64
	Known bool
}

// Known returns a known amount.
func Known(nano int64) Amount { return Amount{nano, true} }

// ComputeCosts computes the cost of the request and of its baseline: the same tokens
// at the price of the baseline model's first endpoint. A request that produced nothing
// has the baseline cost 0, so that the cost of its attempts reduces the savings. The
// record also stores the prices, so that later price changes do not alter its costs.
func (r *Record) ComputeCosts(prices Prices) {
	r.Cost, r.CostParts = Known(0), catalog.Breakdown{}
	for i := range r.Attempts {
		a := &r.Attempts[i]
		a.Cost = Known(0)
		if a.Usage != nil {
			a.Price, a.CostParts, a.Cost = priceUsage(prices, a.Candidate, r.Time, a.Usage)
		}
		r.addCost(a)
	}
	r.BaselineCost = Known(0)
	if r.WasServed() {
		r.BaselinePrice, r.BaselineCostParts, r.BaselineCost = priceUsage(prices, decide.Candidate{Model: r.Decision.Baseline}, r.Time, &r.Usage)
	}
}

// assumeFirstAttempt fills in the record as if the first candidate had read the input
// and then failed. clearAssumed undoes this.
func (r *Record) assumeFirstAttempt(prices Prices, inputTokens int64) {
	r.Estimated, r.Usage = true, catalog.Usage{Input: inputTokens}
	r.startState.first[0] = Attempt{Candidate: r.Decision.Plan[0], Usage: &r.Usage, Estimated: true}
	r.Attempts = r.startState.first[:]
	r.ComputeCosts(prices)
}

func (r *Record) clearAssumed() {
	r.Estimated, r.Usage, r.Attempts = false, catalog.Usage{}, nil
	r.Cost, r.CostParts = Amount{}, catalog.Breakdown{}
	r.BaselineCost, r.BaselineCostParts, r.BaselinePrice = Amount{}, catalog.Breakdown{}, catalog.Price{}
	r.startState.first[0] = Attempt{} // its Usage would keep the record in memory
}

// priceUsage returns the price and the cost of a usage. The cost is unknown if the
// candidate has no price. If the price has tiers, priceUsage returns the tier for the
// request's size.
func priceUsage(prices Prices, candidate decide.Candidate, at time.Time, u *catalog.Usage) (catalog.Price, catalog.Breakdown, Amount) {
	price, ok := prices.Price(candidate, at)
	if !ok {
		return catalog.Price{}, catalog.Breakdown{}, Amount{}
	}
	price = price.ForUsage(*u)
	parts, total := catalog.CostBreakdown(price, *u)
	return price, parts, Known(total)
}

// addCost adds the cost of an attempt. The sum saturates. One unknown cost makes the
// sum unknown, because a partial sum would look like the whole.
func (r *Record) addCost(a *Attempt) {
	if !a.Cost.Known || !r.Cost.Known {
		r.Cost, r.CostParts = Amount{}, catalog.Breakdown{}
		return
	}
	r.CostParts = r.CostParts.Add(a.CostParts)
	r.Cost.Nano = r.CostParts.Sum()
}

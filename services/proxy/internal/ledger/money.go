package ledger

import (
	"math"
	"time"

	"github.com/signalbox/signalbox/pkg/catalog"
)

// Prices finds a model's price.
type Prices interface {
	// Price returns the price of a model at a time; false when unpriced.
	Price(model string, at time.Time) (catalog.Price, bool)
}

// Settle computes what the request cost and what its baseline would have: the
// same tokens at the baseline's price. A request that produced nothing has a
// baseline of 0, and what its attempts cost counts against us.
func (r *Record) Settle(prices Prices) {
	total := new(int64)
	for i := range r.Attempts {
		a := &r.Attempts[i]
		a.Cost = costOf(prices, a.Target.Model, a.Usage, r.Time)
		total = add(total, a.Cost)
	}
	r.Cost = total
	r.Baseline = new(int64)
	if r.Decision != nil && r.Served.Model != "" && r.Usage != (catalog.Usage{}) {
		r.Baseline = costOf(prices, r.Decision.Baseline, &r.Usage, r.Time)
	}
}

func costOf(prices Prices, model string, u *catalog.Usage, at time.Time) *int64 {
	if u == nil {
		return new(int64)
	}
	p, ok := prices.Price(model, at)
	if !ok {
		return nil
	}
	cost := catalog.Cost(p, *u)
	return &cost
}

// add saturates, and an unknown part makes the sum unknown: showing the known
// part alone would look like the whole.
func add(a, b *int64) *int64 {
	if a == nil || b == nil {
		return nil
	}
	sum := *a + *b
	if *a > 0 && *b > math.MaxInt64-*a {
		sum = math.MaxInt64
	}
	return &sum
}

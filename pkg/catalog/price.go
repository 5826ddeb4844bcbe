package catalog

import (
	"math"
	"time"
)

// InForce is the one of dated prices that holds at a time; false means
// unpriced then.
func InForce(prices []Price, t time.Time) (Price, bool) {
	for i := len(prices) - 1; i >= 0; i-- {
		if !prices[i].Effective.After(t) {
			return prices[i], true
		}
	}
	return Price{}, false
}

// For is the price without tiers at which a usage is charged: the tier of the
// whole request, by all of its input.
func (p Price) For(u Usage) Price {
	tiers := p.Tiers
	p.Tiers = nil
	input := u.allInput()
	for _, t := range tiers {
		if input > t.Above {
			p.Input, p.CacheRead, p.CacheWrite, p.CacheWrite1h, p.Output = t.Input, t.CacheRead, t.CacheWrite, t.CacheWrite1h, t.Output
		}
	}
	return p
}

func (u Usage) allInput() int64 { return saturated(u.Input, u.CacheRead, u.CacheWrite) }

// Total is all tokens; reasoning is part of the output. Upstreams report what
// they like: what is negative counts as none, and the sum saturates.
func (u Usage) Total() int64 { return saturated(u.Input, u.CacheRead, u.CacheWrite, u.Output) }

func saturated(all ...int64) (sum int64) {
	for _, n := range all {
		sum += min(max(n, 0), math.MaxInt64-sum)
	}
	return sum
}

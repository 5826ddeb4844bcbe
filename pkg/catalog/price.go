package catalog

import (
	"time"

	"github.com/signalbox/signalbox/pkg/saturate"
)

// PriceInForce returns the price that applies at the time t. It returns false if no
// price applies yet. prices must be sorted by date, oldest first.
func PriceInForce(prices []Price, t time.Time) (Price, bool) {
	for i := len(prices) - 1; i >= 0; i-- {
		if !prices[i].Effective.After(t) {
			return prices[i], true
		}
	}
	return Price{}, false
}

// ForUsage returns p with the amounts of the tier that applies to the usage. The result
// has no tiers. The number of input tokens, including cached ones, selects the tier.
func (p Price) ForUsage(u Usage) Price {
	tiers := p.Tiers
	p.Tiers = nil
	input := u.totalInput()
	for _, t := range tiers {
		if input > t.Above {
			p.Input, p.CacheRead, p.CacheWrite, p.CacheWrite1h, p.Output = t.Input, t.CacheRead, t.CacheWrite, t.CacheWrite1h, t.Output
		}
	}
	return p
}

func (u Usage) totalInput() int64 { return saturate.Sum(u.Input, u.CacheRead, u.CacheWrite) }

// Total returns the number of tokens. Reasoning tokens are part of the output and are
// not added again. Upstreams can report any number, so Total ignores negative counts
// and returns at most the largest int64.
func (u Usage) Total() int64 { return saturate.Sum(u.Input, u.CacheRead, u.CacheWrite, u.Output) }

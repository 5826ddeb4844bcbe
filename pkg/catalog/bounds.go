package catalog

import (
	"errors"
	"fmt"
)

// Bounds of prices, in micro-USD per million tokens, wide of anything sold.
// Published tables have been wrong by a thousand, and what is cheap may still be
// within them then: comparing finds it. What keeps to maxPeerRatio does so no
// longer when it is a thousand times off, either way.
const (
	dollar         = 1_000_000
	maxChatInput   = 200 * dollar
	maxChatOutput  = 600 * dollar
	maxEmbedding   = 5 * dollar
	leastPrice     = dollar / 1000
	maxOutputRatio = 30  // of what is written to what is read
	maxInputRatio  = 20  // of what is read to what is written
	maxWriteRatio  = 4   // of what is put into a cache to what is read
	minCacheShare  = 500 // of what is read to what a cached token costs
	maxPeerRatio   = 30  // between places, dates, sizes and models of a kind
)

// CheckPrice fails on a price that cannot be true: a slip of the unit, or of a
// column. It does not know what others charge.
func CheckPrice(kind Kind, p Price) error {
	flat := p
	flat.Tiers = nil
	errs := []error{checkAmounts(kind, flat)}
	for _, t := range p.Tiers {
		at := p.For(Usage{Input: t.Above + 1})
		errs = append(errs, checkAmounts(kind, at))
		if at.apart(p, maxPeerRatio) {
			errs = append(errs, fmt.Errorf("the price above %d tokens is over %d times another", t.Above, maxPeerRatio))
		}
	}
	return errors.Join(errs...)
}

func checkAmounts(kind Kind, p Price) error {
	in, out := p.Input, p.Output
	switch {
	case kind == Embeddings && (in > maxEmbedding || out > 0):
		return outside(p, "an embedding costs at most $%d to read and nothing to write", maxEmbedding/dollar)
	case in > maxChatInput || out > maxChatOutput:
		return outside(p, "a token costs at most $%d to read and $%d to write", maxChatInput/dollar, maxChatOutput/dollar)
	case in > 0 && in < leastPrice || out > 0 && out < leastPrice:
		return outside(p, "no token costs so little")
	case kind == Chat && (out > in*maxOutputRatio || in > out*maxInputRatio):
		return outside(p, "reading and writing are too far apart")
	case p.CacheRead > in:
		return outside(p, "reading from a cache costs more than reading")
	case max(p.CacheWrite, p.CacheWrite1h) > in*maxWriteRatio:
		return outside(p, "writing to a cache costs over %d times reading", maxWriteRatio)
	case tiny(p.CacheRead, in) || tiny(p.CacheWrite, in) || tiny(p.CacheWrite1h, in):
		return outside(p, "a cached token costs less than a %dth of reading", minCacheShare)
	}
	return nil
}

func outside(p Price, format string, args ...any) error {
	return fmt.Errorf("$%s in, $%s out per million tokens: %s", PerMillion(p.Input), PerMillion(p.Output), fmt.Sprintf(format, args...))
}

func (c *Catalog) checkPrices(kind Kind, prices []Price) error {
	for i, p := range prices {
		if err := CheckPrice(kind, p); err != nil {
			return err
		}
		if _, ok := c.Source(p.Source); p.Source != "" && !ok {
			return fmt.Errorf("a price of unknown source %q", p.Source)
		}
		if i > 0 && p.apart(prices[i-1], maxPeerRatio) {
			return fmt.Errorf("the price of %s is over %d times the one before", p.Effective.Format("2006-01-02"), maxPeerRatio)
		}
	}
	return nil
}

// checkPeers compares what the places of a model charge in the end.
func (m *Entry) checkPeers() error {
	var first *Price
	for i := range m.Endpoints {
		prices := m.Endpoints[i].Prices
		if prices == nil {
			prices = m.Prices
		}
		if len(prices) == 0 {
			continue
		}
		last := &prices[len(prices)-1]
		if first == nil {
			first = last
		}
		if first.apart(*last, maxPeerRatio) {
			return fmt.Errorf("at %q: the price is over %d times what others charge for the same", m.Endpoints[i].Provider, maxPeerRatio)
		}
	}
	return nil
}

// apart tells whether reading or writing costs so many times the other's.
func (p Price) apart(other Price, times int64) bool {
	return far(p.Input, other.Input, times) || far(p.Output, other.Output, times)
}

// far tells whether two amounts differ so many times. What is free compares
// with nothing.
func far(a, b, times int64) bool {
	return a > 0 && b > 0 && max(a, b)/min(a, b) >= times
}

// tiny tells whether what is cached costs something, and next to nothing.
func tiny(cached, in int64) bool { return cached > 0 && cached < in/minCacheShare }

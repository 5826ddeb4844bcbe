package catalog

import (
	"errors"
	"fmt"
)

// Bounds for plausible prices. Amounts are micro-USD per million tokens. The bounds are
// far wider than any price on the market. Published price tables have been wrong by a
// factor of 1000, and the wrong price of a cheap model may still be within these bounds.
// So prices are also compared with each other, using maxPeerRatio.
const (
	dollar         = 1_000_000
	maxChatInput   = 200 * dollar
	maxChatOutput  = 600 * dollar
	maxEmbedding   = 5 * dollar
	minPrice       = dollar / 1000
	maxOutputRatio = 30  // output price / input price
	maxInputRatio  = 20  // input price / output price
	maxWriteRatio  = 4   // cache write price / input price
	maxCacheRatio  = 500 // input price / price of a cached token
	maxPeerRatio   = 30  // between endpoints, dates, tiers and models of a kind
)

// CheckPrice rejects an implausible price, such as one in a wrong unit or from the wrong
// column of a table. It does not compare the price with prices of other dates, endpoints
// or models.
func CheckPrice(kind Kind, p Price) error {
	flat := p
	flat.Tiers = nil
	errs := []error{checkAmounts(kind, flat)}
	for _, t := range p.Tiers {
		at := p.ForUsage(Usage{Input: t.Above + 1})
		errs = append(errs, checkAmounts(kind, at))
		if at.differsBy(p, maxPeerRatio) {
			errs = append(errs, fmt.Errorf("the price above %d tokens differs from the base price by a factor of %d or more", t.Above, maxPeerRatio))
		}
	}
	return errors.Join(errs...)
}

func checkAmounts(kind Kind, p Price) error {
	in, out := p.Input, p.Output
	switch {
	case kind == Embeddings && (in > maxEmbedding || out > 0):
		return implausiblePriceError(p, "the input price of embeddings is at most $%d, and their output price is 0", maxEmbedding/dollar)
	case in > maxChatInput || out > maxChatOutput:
		return implausiblePriceError(p, "the input price is at most $%d and the output price at most $%d", maxChatInput/dollar, maxChatOutput/dollar)
	case in > 0 && in < minPrice || out > 0 && out < minPrice:
		return implausiblePriceError(p, "the price is implausibly low")
	case kind == Chat && (out > in*maxOutputRatio || in > out*maxInputRatio):
		return implausiblePriceError(p, "input and output prices are too far apart")
	case p.CacheRead > in:
		return implausiblePriceError(p, "the cache read price exceeds the input price")
	case max(p.CacheWrite, p.CacheWrite1h) > in*maxWriteRatio:
		return implausiblePriceError(p, "the cache write price is more than %d times the input price", maxWriteRatio)
	case isTinyShare(p.CacheRead, in) || isTinyShare(p.CacheWrite, in) || isTinyShare(p.CacheWrite1h, in):
		return implausiblePriceError(p, "the price of a cached token is less than 1/%d of the input price", maxCacheRatio)
	}
	return nil
}

func implausiblePriceError(p Price, format string, args ...any) error {
	return fmt.Errorf("$%s per million input tokens, $%s per million output tokens: %s", FormatPerMillion(p.Input), FormatPerMillion(p.Output), fmt.Sprintf(format, args...))
}

func (c *Catalog) checkPrices(kind Kind, prices []Price) error {
	for i, p := range prices {
		if err := CheckPrice(kind, p); err != nil {
			return err
		}
		if _, ok := c.Source(p.Source); p.Source != "" && !ok {
			return fmt.Errorf("price has unknown source %q", p.Source)
		}
		if i > 0 && p.differsBy(prices[i-1], maxPeerRatio) {
			return fmt.Errorf("the price of %s differs from the previous price by a factor of %d or more", p.Effective.Format("2006-01-02"), maxPeerRatio)
		}
	}
	return nil
}

// checkPeers compares the latest price of each endpoint of a model with that of the first
// endpoint that has a price.
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
		if first.differsBy(*last, maxPeerRatio) {
			return fmt.Errorf("at %q: the price differs from the price of another endpoint by a factor of %d or more", m.Endpoints[i].Provider, maxPeerRatio)
		}
	}
	return nil
}

// differsBy reports whether the input or output prices differ by at least this factor.
func (p Price) differsBy(other Price, times int64) bool {
	return differsByRatio(p.Input, other.Input, times) || differsByRatio(p.Output, other.Output, times)
}

// differsByRatio reports whether two amounts differ by at least this factor. If one of
// them is 0, it returns false.
func differsByRatio(a, b, times int64) bool {
	return a > 0 && b > 0 && max(a, b)/min(a, b) >= times
}

func isTinyShare(cached, in int64) bool { return cached > 0 && cached < in/maxCacheRatio }

package catalog

import (
	"fmt"
	"slices"
)

const (
	// minPeers is the minimum number of other models for a comparison with their median.
	minPeers = 5
	// maxWrittenRatio bounds a price of a policy relative to the catalog's price.
	maxWrittenRatio = 100
)

// CheckWrittenPrice rejects a price of a policy that differs so much from all known
// prices that its unit must be wrong. A price of 0 passes, and so does every price if
// no price is known.
func CheckWrittenPrice(p Price, known []Price) error {
	for _, k := range known {
		if !p.differsBy(k, maxWrittenRatio) {
			return nil
		}
	}
	if len(known) == 0 {
		return nil
	}
	last := known[len(known)-1]
	return implausiblePriceError(p, "this differs by a factor of %d or more from the known price, $%s in and $%s out", maxWrittenRatio, FormatPerMillion(last.Input), FormatPerMillion(last.Output))
}

// comparePricesByKind compares every model with the other models of its kind.
func (c *Catalog) comparePricesByKind() []error {
	var errs []error
	for i := range c.models {
		m := &c.models[i]
		if err := m.comparePrice(c.peerInputPrices(i)); err != nil {
			errs = append(errs, fmt.Errorf("model %q: %w", m.ID, err))
		}
	}
	return errs
}

// peerInputPrices returns the sorted input prices of the other models of the same kind.
func (c *Catalog) peerInputPrices(except int) []int64 {
	var all []int64
	for i := range c.models {
		m := &c.models[i]
		p := m.representativePrices()
		if n := len(p); i != except && n > 0 && p[n-1].Input > 0 && m.Kind == c.models[except].Kind {
			all = append(all, p[n-1].Input)
		}
	}
	slices.Sort(all)
	return all
}

// representativePrices returns the model's prices, or the prices of its first endpoint
// that has any.
func (m *Entry) representativePrices() []Price {
	prices := m.Prices
	for i := 0; prices == nil && i < len(m.Endpoints); i++ {
		prices = m.Endpoints[i].Prices
	}
	return prices
}

// comparePrice compares the input prices of the model, or of its first priced endpoint,
// with the median of others. CheckPrice compares the output price with the input price,
// and checkPeers compares the endpoints with each other.
func (m *Entry) comparePrice(others []int64) error {
	if len(others) < minPeers || m.UnusualPrice {
		return nil
	}
	median := others[len(others)/2]
	for _, p := range m.representativePrices() {
		if differsByRatio(p.Input, median, maxPeerRatio) {
			return implausiblePriceError(p, `this differs by a factor of %d or more from the median of its kind, $%s; if the price is correct, set "unusual_price"`, maxPeerRatio, FormatPerMillion(median))
		}
	}
	return nil
}

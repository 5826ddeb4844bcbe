package catalog

import (
	"fmt"
	"slices"
)

const (
	// minPeers is how many other models a median needs.
	minPeers = 5
	// maxWrittenRatio bounds a written price relative to the catalog's.
	maxWrittenRatio = 100
)

// CheckWrittenPrice rejects a price from a policy that differs so much from all known
// prices that its unit must be wrong. A price of 0, or without known prices, passes.
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
	return implausiblePriceError(p, "this differs by more than a factor of %d from the known prices $%s and $%s", maxWrittenRatio, FormatPerMillion(last.Input), FormatPerMillion(last.Output))
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

// peerInputPrices returns the sorted input prices of the other models of the kind.
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

// representativePrices returns the model's prices, else those of its first priced
// endpoint.
func (m *Entry) representativePrices() []Price {
	prices := m.Prices
	for i := 0; prices == nil && i < len(m.Endpoints); i++ {
		prices = m.Endpoints[i].Prices
	}
	return prices
}

// comparePrice compares only the input price of one endpoint. CheckPrice relates the
// output price to it, and checkPeers the other endpoints.
func (m *Entry) comparePrice(others []int64) error {
	if len(others) < minPeers || m.UnusualPrice {
		return nil
	}
	median := others[len(others)/2]
	for _, p := range m.representativePrices() {
		if differsByRatio(p.Input, median, maxPeerRatio) {
			return implausiblePriceError(p, "this differs by more than a factor of %d from the median of its kind, $%s; set unusual_price if it is right", maxPeerRatio, FormatPerMillion(median))
		}
	}
	return nil
}

package catalog

import (
	"fmt"
	"slices"
)

const (
	// minPeers is the number of other models below which a price is not compared.
	minPeers = 5
	// maxPolicyRatio limits how much a price in a policy may differ from known prices.
	maxPolicyRatio = 100
)

// CheckPolicyPrice rejects a price in a policy that differs so much from all known
// prices that its unit must be wrong. It accepts an amount of 0. It accepts every price
// if no price is known.
func CheckPolicyPrice(p Price, known []Price) error {
	for _, k := range known {
		if !p.differsBy(k, maxPolicyRatio) {
			return nil
		}
	}
	if len(known) == 0 {
		return nil
	}
	last := known[len(known)-1]
	return implausiblePriceError(p, "this differs by a factor of %d or more from every known price; the last known price is $%s per million input tokens and $%s per million output tokens", maxPolicyRatio, FormatPerMillion(last.Input), FormatPerMillion(last.Output))
}

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
// with the median of others. others holds the sorted input prices of other models.
// Output prices need no comparison here, because CheckPrice limits their ratio to the
// input price.
func (m *Entry) comparePrice(others []int64) error {
	if len(others) < minPeers || m.UnusualPrice {
		return nil
	}
	median := others[len(others)/2]
	for _, p := range m.representativePrices() {
		if differsByRatio(p.Input, median, maxPeerRatio) {
			return implausiblePriceError(p, `the input price differs by a factor of %d or more from the median of models of its kind, $%s per million tokens; if the price is correct, set "unusual_price"`, maxPeerRatio, FormatPerMillion(median))
		}
	}
	return nil
}

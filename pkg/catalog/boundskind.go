package catalog

import (
	"fmt"
	"slices"
)

const (
	// minPeers is how many others there must be to speak of a middle.
	minPeers = 5
	// maxWrittenRatio is between a price that is written and the catalog's.
	maxWrittenRatio = 100
)

// CheckWritten fails on a price that somebody writes over those that are known,
// if it is so far from all of them that the unit must be wrong. What is free, or
// has nothing to compare with, passes.
func CheckWritten(p Price, known []Price) error {
	for _, k := range known {
		if !p.apart(k, maxWrittenRatio) {
			return nil
		}
	}
	if len(known) == 0 {
		return nil
	}
	last := known[len(known)-1]
	return outside(p, "that is over %d times away from the known $%s and $%s", maxWrittenRatio, PerMillion(last.Input), PerMillion(last.Output))
}

// checkKinds compares every model with the others of its kind.
func (c *Catalog) checkKinds() []error {
	var errs []error
	for i := range c.models {
		m := &c.models[i]
		if err := m.checkKind(c.othersInput(i)); err != nil {
			errs = append(errs, fmt.Errorf("model %q: %w", m.ID, err))
		}
	}
	return errs
}

// othersInput are what the other models of the kind cost to read, in order.
func (c *Catalog) othersInput(except int) []int64 {
	var all []int64
	for i := range c.models {
		m := &c.models[i]
		p := m.mainPrices()
		if n := len(p); i != except && n > 0 && p[n-1].Input > 0 && m.Kind == c.models[except].Kind {
			all = append(all, p[n-1].Input)
		}
	}
	slices.Sort(all)
	return all
}

// mainPrices are the model's, else those of its first place that has any.
func (m *Entry) mainPrices() []Price {
	prices := m.Prices
	for i := 0; prices == nil && i < len(m.Endpoints); i++ {
		prices = m.Endpoints[i].Prices
	}
	return prices
}

// checkKind needs what is read at one place alone: CheckPrice compares what is
// written with it, and checkPeers the other places.
func (m *Entry) checkKind(others []int64) error {
	if len(others) < minPeers || m.UnusualPrice {
		return nil
	}
	middle := others[len(others)/2]
	for _, p := range m.mainPrices() {
		if far(p.Input, middle, maxPeerRatio) {
			return outside(p, "that is over %d times away from the middle of its kind, $%s; unusual_price means it", maxPeerRatio, PerMillion(middle))
		}
	}
	return nil
}

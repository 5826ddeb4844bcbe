package policy

import (
	"cmp"
	"slices"
	"time"

	"github.com/signalbox/signalbox/pkg/catalog"
)

// At finds the place of a model by its provider; "" is the first place, where
// a model is priced that nobody has served.
func (m *Model) At(provider string) (*Endpoint, bool) {
	for i := range m.Endpoints {
		if provider == "" || m.Endpoints[i].Provider == provider {
			return &m.Endpoints[i], true
		}
	}
	return nil, false
}

// PricesAt are the dated prices of a place; none means unpriced.
func (m *Model) PricesAt(e *Endpoint) []catalog.Price {
	if e.Prices != nil {
		return e.Prices
	}
	return m.Prices
}

// PriceAt is the price in force at a provider and a time; false means
// unpriced. The provider is as for At.
func (m *Model) PriceAt(provider string, t time.Time) (catalog.Price, bool) {
	e, ok := m.At(provider)
	if !ok {
		return catalog.Price{}, false
	}
	return catalog.InForce(m.PricesAt(e), t)
}

// ContextAt is the window of a place; 0 when it is not known.
func (m *Model) ContextAt(e *Endpoint) int64 { return cmp.Or(e.Context, m.Context) }

// MaxOutputAt is the most the place writes; 0 when it is not known.
func (m *Model) MaxOutputAt(e *Endpoint) int64 { return cmp.Or(e.MaxOutput, m.MaxOutput) }

// CanAt reports whether the model has the capability at a place. Where any JSON
// object is missing, keeping to a schema is no stand-in.
func (m *Model) CanAt(e *Endpoint, need catalog.Capability) bool {
	return !slices.Contains(e.Lacks, need) && m.Can(need)
}

package policy

import (
	"cmp"
	"slices"
	"time"

	"github.com/signalbox/signalbox/pkg/catalog"
)

// EndpointAt finds the endpoint of a model at a provider. An empty provider means
// the first endpoint, which prices a model that has not been served yet.
func (m *Model) EndpointAt(provider string) (*Endpoint, bool) {
	for i := range m.Endpoints {
		if provider == "" || m.Endpoints[i].Provider == provider {
			return &m.Endpoints[i], true
		}
	}
	return nil, false
}

// PricesAt returns the dated prices of an endpoint; none means unpriced.
func (m *Model) PricesAt(e *Endpoint) []catalog.Price {
	if e.Prices != nil {
		return e.Prices
	}
	return m.Prices
}

// PriceAt returns the price in force at a provider and a time; false means
// unpriced. The provider is as for EndpointAt.
func (m *Model) PriceAt(provider string, t time.Time) (catalog.Price, bool) {
	e, ok := m.EndpointAt(provider)
	if !ok {
		return catalog.Price{}, false
	}
	return catalog.PriceInForce(m.PricesAt(e), t)
}

// ContextAt returns the context window of an endpoint in tokens; 0 means unknown.
func (m *Model) ContextAt(e *Endpoint) int64 { return cmp.Or(e.Context, m.Context) }

// MaxOutputAt returns the output limit of an endpoint in tokens; 0 means unknown.
func (m *Model) MaxOutputAt(e *Endpoint) int64 { return cmp.Or(e.MaxOutput, m.MaxOutput) }

// CanAt reports whether an endpoint has the capability. Supporting JSON schemas does
// not imply plain JSON objects if the endpoint lacks those.
func (m *Model) CanAt(e *Endpoint, need catalog.Capability) bool {
	return !slices.Contains(e.Lacks, need) && m.Can(need)
}

package policy

import (
	"cmp"
	"slices"
	"time"

	"github.com/signalbox/signalbox/pkg/catalog"
)

// EndpointAt finds the endpoint of a model at a provider. An empty provider means the
// first endpoint.
func (m *Model) EndpointAt(provider string) (*Endpoint, bool) {
	for i := range m.Endpoints {
		if provider == "" || m.Endpoints[i].Provider == provider {
			return &m.Endpoints[i], true
		}
	}
	return nil, false
}

// EndpointPrices returns the dated prices of an endpoint. An empty result means that
// the endpoint has no price.
func (m *Model) EndpointPrices(e *Endpoint) []catalog.Price {
	if e.Prices != nil {
		return e.Prices
	}
	return m.Prices
}

// PriceAt returns the price in force at a provider and a time, or false if there is
// none. An empty provider means the first endpoint, as in EndpointAt.
func (m *Model) PriceAt(provider string, t time.Time) (catalog.Price, bool) {
	e, ok := m.EndpointAt(provider)
	if !ok {
		return catalog.Price{}, false
	}
	return catalog.PriceInForce(m.EndpointPrices(e), t)
}

// EndpointContext returns the context window of an endpoint in tokens; 0 means
// unknown.
func (m *Model) EndpointContext(e *Endpoint) int64 { return cmp.Or(e.Context, m.Context) }

// EndpointMaxOutput returns the output limit of an endpoint in tokens; 0 means
// unknown.
func (m *Model) EndpointMaxOutput(e *Endpoint) int64 { return cmp.Or(e.MaxOutput, m.MaxOutput) }

// EndpointSupports reports whether an endpoint has the capability. A model that
// supports JSON schemas also supports plain JSON objects, unless e.Lacks contains
// JSONObject.
func (m *Model) EndpointSupports(e *Endpoint, need catalog.Capability) bool {
	return !slices.Contains(e.Lacks, need) && m.Can(need)
}

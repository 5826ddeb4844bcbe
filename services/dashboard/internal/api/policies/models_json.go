package policies

import (
	"time"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/policy"
	"github.com/signalbox/signalbox/services/dashboard/internal/jsonvalue"
)

// modelJSON is a model of the active policy with its data from the catalog.
// Unknown values are null.
type modelJSON struct {
	ID            string               `json:"id"`
	Name          *string              `json:"name"`
	Kind          catalog.Kind         `json:"kind"`
	Served        bool                 `json:"served"`
	Listed        bool                 `json:"listed"`
	Aliases       []string             `json:"aliases"`
	Context       *int64               `json:"context"`
	MaxOutput     *int64               `json:"max_output"`
	Capabilities  []catalog.Capability `json:"capabilities"`
	Unknown       []catalog.Capability `json:"unknown"`
	Efforts       []string             `json:"efforts"`
	Knowledge     *string              `json:"knowledge"`
	Status        *catalog.Status      `json:"status"`
	Released      *string              `json:"released"`
	Retires       *string              `json:"retires"`
	Replacement   *string              `json:"replacement"`
	Quality       map[string]int64     `json:"quality"`
	QualitySource *string              `json:"quality_source"`
	Endpoints     []endpointJSON       `json:"endpoints"`
}

type endpointJSON struct {
	Provider   string               `json:"provider"`
	Model      string               `json:"model"`
	Context    *int64               `json:"context"`
	MaxOutput  *int64               `json:"max_output"`
	Lacks      []catalog.Capability `json:"lacks"`
	Prices     []listPriceJSON      `json:"prices"`
	Confidence *string              `json:"confidence"`
	Note       *string              `json:"note"`
}

// listPriceJSON is a price in pico-USD per token, which equals micro-USD per
// million tokens.
type listPriceJSON struct {
	// Effective is null for a price without a start date.
	Effective *string `json:"effective"`
	InForce   bool    `json:"in_force"`
	amountsJSON
	Tiers  []tierJSON `json:"tiers"`
	Source *string    `json:"source"`
}

type tierJSON struct {
	Above int64 `json:"above"`
	amountsJSON
}

type amountsJSON struct {
	Input        int64  `json:"input"`
	CacheRead    int64  `json:"cache_read"`
	CacheWrite   int64  `json:"cache_write"`
	CacheWrite1h *int64 `json:"cache_write_1h"`
	Output       int64  `json:"output"`
}

func (s *API) toModelJSON(m *policy.Model, now time.Time) modelJSON {
	known, _ := s.Catalog.Model(m.ID)
	if known.ID == "" {
		known, _, _ = s.Catalog.FindEndpoint(m.Endpoints[0].Provider, m.Endpoints[0].UpstreamModel)
	}
	j := modelJSON{
		ID: m.ID, Name: jsonvalue.NullIfZero(known.Name), Kind: m.Kind, Listed: !m.Unlisted, Aliases: jsonvalue.OrEmpty(m.Aliases),
		Context: jsonvalue.NullIfZero(m.Context), MaxOutput: jsonvalue.NullIfZero(m.MaxOutput), Capabilities: jsonvalue.OrEmpty(m.Capabilities),
		Unknown: jsonvalue.OrEmpty(m.Unknown), Efforts: jsonvalue.OrEmpty(m.Efforts), Knowledge: jsonvalue.NullIfZero(known.KnowledgeCutoff),
		Status: jsonvalue.NullIfZero(known.Status), Released: jsonvalue.NullIfZero(known.Released), Retires: jsonvalue.NullIfZero(known.Retires),
		Replacement: jsonvalue.NullIfZero(known.Replacement), Quality: jsonvalue.OrEmptyMap(m.Quality), QualitySource: jsonvalue.NullIfZero(known.QualitySource),
	}
	for i := range m.Endpoints {
		j.Endpoints = append(j.Endpoints, s.toEndpointJSON(m, &m.Endpoints[i], now))
	}
	return j
}

func (s *API) toEndpointJSON(m *policy.Model, e *policy.Endpoint, now time.Time) endpointJSON {
	_, known, _ := s.Catalog.FindEndpoint(e.Provider, e.UpstreamModel)
	j := endpointJSON{
		Provider: e.Provider, Model: e.UpstreamModel, Context: jsonvalue.NullIfZero(m.EndpointContext(e)), MaxOutput: jsonvalue.NullIfZero(m.EndpointMaxOutput(e)),
		Lacks: jsonvalue.OrEmpty(e.Lacks), Prices: []listPriceJSON{}, Confidence: jsonvalue.NullIfZero(known.Confidence), Note: jsonvalue.NullIfZero(known.Note),
	}
	prices := m.EndpointPrices(e)
	current, priced := catalog.PriceInForce(prices, now)
	for _, p := range prices {
		j.Prices = append(j.Prices, toListPriceJSON(p, priced && p.Effective.Equal(current.Effective)))
	}
	return j
}

func toListPriceJSON(p catalog.Price, inForce bool) listPriceJSON {
	j := listPriceJSON{InForce: inForce, Tiers: []tierJSON{}, Source: jsonvalue.NullIfZero(p.Source), amountsJSON: amountsJSON{
		Input: p.Input, CacheRead: p.CacheRead, CacheWrite: p.CacheWrite, CacheWrite1h: jsonvalue.NullIfZero(p.CacheWrite1h), Output: p.Output,
	}}
	if p.Effective.Unix() > 0 {
		j.Effective = jsonvalue.NullIfZero(p.Effective.Format(time.DateOnly))
	}
	for _, t := range p.Tiers {
		j.Tiers = append(j.Tiers, tierJSON{Above: t.Above, amountsJSON: amountsJSON{
			Input: t.Input, CacheRead: t.CacheRead, CacheWrite: t.CacheWrite, CacheWrite1h: jsonvalue.NullIfZero(t.CacheWrite1h), Output: t.Output,
		}})
	}
	return j
}

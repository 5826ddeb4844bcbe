package web

import (
	"time"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/policy"
)

// modelJSON is a model of the policy in force, with what the catalog tells of
// it. What is not known is null.
type modelJSON struct {
	ID            string               `json:"id"`
	Name          *string              `json:"name"`
	Kind          catalog.Kind         `json:"kind"`
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
	Endpoints     []placeJSON          `json:"endpoints"`
}

type placeJSON struct {
	Provider   string               `json:"provider"`
	Model      string               `json:"model"`
	Context    *int64               `json:"context"`
	MaxOutput  *int64               `json:"max_output"`
	Lacks      []catalog.Capability `json:"lacks"`
	Prices     []listPriceJSON      `json:"prices"`
	Confidence *string              `json:"confidence"`
	Note       *string              `json:"note"`
}

// listPriceJSON is in pico-USD a token, which is micro-USD per million.
type listPriceJSON struct {
	// Effective is null for a price that always held.
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

func (s *server) toModelJSON(m *policy.Model, now time.Time) modelJSON {
	known, _ := s.Catalog.Model(m.ID)
	if known.ID == "" {
		known, _, _ = s.Catalog.ServedAt(m.Endpoints[0].Provider, m.Endpoints[0].Upstream)
	}
	j := modelJSON{
		ID: m.ID, Name: orNull(known.Name), Kind: m.Kind, Listed: !m.Unlisted, Aliases: orEmpty(m.Aliases),
		Context: orNull(m.Context), MaxOutput: orNull(m.MaxOutput), Capabilities: orEmpty(m.Capabilities),
		Unknown: orEmpty(m.Unknown), Efforts: orEmpty(m.Efforts), Knowledge: orNull(known.Knowledge),
		Status: orNull(known.Status), Released: orNull(known.Released), Retires: orNull(known.Retires),
		Replacement: orNull(known.Replacement), Quality: map[string]int64{}, QualitySource: orNull(known.QualitySource),
	}
	if m.Quality != nil {
		j.Quality = m.Quality
	}
	for i := range m.Endpoints {
		j.Endpoints = append(j.Endpoints, s.toPlaceJSON(m, &m.Endpoints[i], now))
	}
	return j
}

func (s *server) toPlaceJSON(m *policy.Model, e *policy.Endpoint, now time.Time) placeJSON {
	_, known, _ := s.Catalog.ServedAt(e.Provider, e.Upstream)
	j := placeJSON{
		Provider: e.Provider, Model: e.Upstream, Context: orNull(m.ContextAt(e)), MaxOutput: orNull(m.MaxOutputAt(e)),
		Lacks: orEmpty(e.Lacks), Prices: []listPriceJSON{}, Confidence: orNull(known.Confidence), Note: orNull(known.Note),
	}
	prices := m.PricesAt(e)
	current, priced := catalog.InForce(prices, now)
	for _, p := range prices {
		j.Prices = append(j.Prices, toListPriceJSON(p, priced && p.Effective.Equal(current.Effective)))
	}
	return j
}

func toListPriceJSON(p catalog.Price, inForce bool) listPriceJSON {
	j := listPriceJSON{InForce: inForce, Tiers: []tierJSON{}, Source: orNull(p.Source), amountsJSON: amountsJSON{
		Input: p.Input, CacheRead: p.CacheRead, CacheWrite: p.CacheWrite, CacheWrite1h: orNull(p.CacheWrite1h), Output: p.Output,
	}}
	if p.Effective.Unix() > 0 {
		j.Effective = orNull(p.Effective.Format(time.DateOnly))
	}
	for _, t := range p.Tiers {
		j.Tiers = append(j.Tiers, tierJSON{Above: t.Above, amountsJSON: amountsJSON{
			Input: t.Input, CacheRead: t.CacheRead, CacheWrite: t.CacheWrite, CacheWrite1h: orNull(t.CacheWrite1h), Output: t.Output,
		}})
	}
	return j
}

func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

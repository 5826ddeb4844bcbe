package modellist

import (
	"math"
	"slices"
	"time"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/policy"
	"github.com/signalbox/signalbox/services/proxy/internal/keys"
)

// Card is one model in the list for clients. The field kind and the fields after it
// extend OpenAI's format. Several clients read some of them.
type Card struct {
	ID            string       `json:"id"`
	Object        string       `json:"object"`
	Created       int64        `json:"created"`
	OwnedBy       string       `json:"owned_by"`
	Kind          catalog.Kind `json:"kind"`
	ContextLength int64        `json:"context_length,omitempty"`
	MaxModelLen   int64        `json:"max_model_len,omitempty"`
	MaxOutput     int64        `json:"max_output_tokens,omitempty"`
	Pricing       *pricing     `json:"pricing,omitempty"`
}

// pricing contains prices in USD per token, as exact decimal strings.
type pricing struct {
	Prompt     string `json:"prompt"`
	Completion string `json:"completion"`
	CacheRead  string `json:"input_cache_read"`
	CacheWrite string `json:"input_cache_write"`
}

func isAllowed(p *keys.Principal, name string) bool {
	return len(p.Models) == 0 || slices.Contains(p.Models, name)
}

// routeCard shows the largest context window of all models of the route, because the route
// sends large requests to that model. A route has no price of its own.
func routeCard(p *policy.Policy, r *policy.Route) Card {
	c := Card{ID: r.Name, Object: "model", OwnedBy: "signalbox", Kind: r.Kind}
	for _, name := range r.ModelNames() {
		if m, _, ok := p.ResolveEndpoint(name); ok {
			c.Created = max(c.Created, cheapestCard(m).Created)
			for i := range m.Endpoints {
				c.ContextLength = max(c.ContextLength, m.EndpointContext(&m.Endpoints[i]))
			}
		}
	}
	c.MaxModelLen = c.ContextLength
	return c
}

// modelCards returns the cards of a model in the list for a key. If the key may use the
// model's own name, that is one card. Otherwise it is one card for each provider/model name
// in the key's list, or else one card for the first alias in that list.
func modelCards(p *keys.Principal, m *policy.Model) []Card {
	if isAllowed(p, m.ID) {
		return []Card{cheapestCard(m)}
	}
	var pinned []Card
	for _, e := range m.Endpoints {
		if isAllowed(p, e.Provider+"/"+m.ID) {
			pinned = append(pinned, pinnedCard(m, e.Provider))
		}
	}
	for _, name := range m.Aliases {
		if len(pinned) == 0 && isAllowed(p, name) {
			c := cheapestCard(m)
			c.ID = name
			return []Card{c}
		}
	}
	return pinned
}

func pinnedCard(m *policy.Model, provider string) Card {
	e, _ := m.EndpointAt(provider)
	c := endpointCard(m, e, time.Now())
	c.ID = provider + "/" + m.ID
	return c
}

// cheapestCard describes a model at its cheapest endpoint.
func cheapestCard(m *policy.Model) Card {
	now, best := time.Now(), &m.Endpoints[0]
	for i := range m.Endpoints {
		if e := &m.Endpoints[i]; listPrice(m, e, now) < listPrice(m, best, now) {
			best = e
		}
	}
	return endpointCard(m, best, now)
}

// listPrice returns the price of one input plus one output token, to compare endpoints.
// An unknown price counts as the highest.
func listPrice(m *policy.Model, e *policy.Endpoint, now time.Time) int64 {
	p, ok := catalog.PriceInForce(m.EndpointPrices(e), now)
	if !ok {
		return math.MaxInt64
	}
	return p.Input + p.Output
}

// endpointCard describes a model at an endpoint. The creation date of a model is unknown,
// so the card contains the date of its first price.
func endpointCard(m *policy.Model, e *policy.Endpoint, now time.Time) Card {
	c := Card{
		ID: m.ID, Object: "model", OwnedBy: e.Provider, Kind: m.Kind,
		ContextLength: m.EndpointContext(e), MaxModelLen: m.EndpointContext(e), MaxOutput: m.EndpointMaxOutput(e),
	}
	prices := m.EndpointPrices(e)
	if len(prices) > 0 {
		c.Created = max(0, prices[0].Effective.Unix())
	}
	if p, ok := catalog.PriceInForce(prices, now); ok {
		c.Pricing = &pricing{
			Prompt: catalog.FormatPerToken(p.Input), Completion: catalog.FormatPerToken(p.Output),
			CacheRead: catalog.FormatPerToken(p.CacheRead), CacheWrite: catalog.FormatPerToken(p.CacheWrite),
		}
	}
	return c
}

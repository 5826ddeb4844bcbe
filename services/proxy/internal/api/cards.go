package api

import (
	"math"
	"slices"
	"time"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/policy"
	"github.com/signalbox/signalbox/services/proxy/internal/keys"
)

// modelCard is one model as clients list it; context_length, max_model_len and
// pricing are extensions that several of them read.
type modelCard struct {
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

// pricing is in dollars per token, as text, exact.
type pricing struct {
	Prompt     string `json:"prompt"`
	Completion string `json:"completion"`
	CacheRead  string `json:"input_cache_read"`
	CacheWrite string `json:"input_cache_write"`
}

func allowed(p *keys.Principal, name string) bool {
	return len(p.Models) == 0 || slices.Contains(p.Models, name)
}

// routeCard has the window of the largest model that the route may choose:
// what does not fit the others is sent there. It has no price of its own.
func routeCard(p *policy.Policy, r *policy.Route) modelCard {
	c := modelCard{ID: r.Name, Object: "model", OwnedBy: "signalbox", Kind: r.Kind}
	for _, name := range r.Names() {
		if m, _, ok := p.Place(name); ok {
			c.Created = max(c.Created, card(m).Created)
			for i := range m.Endpoints {
				c.ContextLength = max(c.ContextLength, m.ContextAt(&m.Endpoints[i]))
			}
		}
	}
	c.MaxModelLen = c.ContextLength
	return c
}

// modelCards are the names under which the key may use the model: its own, or
// those that say where it is to be served, or others that the key's list has.
func modelCards(p *keys.Principal, m *policy.Model) []modelCard {
	if allowed(p, m.ID) {
		return []modelCard{card(m)}
	}
	var pinned []modelCard
	for _, e := range m.Endpoints {
		if allowed(p, e.Provider+"/"+m.ID) {
			pinned = append(pinned, pinnedCard(m, e.Provider))
		}
	}
	for _, name := range m.Aliases {
		if len(pinned) == 0 && allowed(p, name) {
			c := card(m)
			c.ID = name
			return []modelCard{c}
		}
	}
	return pinned
}

func pinnedCard(m *policy.Model, provider string) modelCard {
	e, _ := m.At(provider)
	c := cardAt(m, e, time.Now())
	c.ID = provider + "/" + m.ID
	return c
}

// card describes a model where it costs least.
func card(m *policy.Model) modelCard {
	now, best := time.Now(), &m.Endpoints[0]
	for i := range m.Endpoints {
		if e := &m.Endpoints[i]; listed(m, e, now) < listed(m, best, now) {
			best = e
		}
	}
	return cardAt(m, best, now)
}

// listed is what a token in and a token out cost, by which places compare; an
// unknown price is the highest.
func listed(m *policy.Model, e *policy.Endpoint, now time.Time) int64 {
	p, ok := catalog.InForce(m.PricesAt(e), now)
	if !ok {
		return math.MaxInt64
	}
	return p.Input + p.Output
}

// cardAt describes a model at a place. Nobody told us when it was made, so that
// it is as old as its first price.
func cardAt(m *policy.Model, e *policy.Endpoint, now time.Time) modelCard {
	c := modelCard{
		ID: m.ID, Object: "model", OwnedBy: e.Provider, Kind: m.Kind,
		ContextLength: m.ContextAt(e), MaxModelLen: m.ContextAt(e), MaxOutput: m.MaxOutputAt(e),
	}
	prices := m.PricesAt(e)
	if len(prices) > 0 {
		c.Created = max(0, prices[0].Effective.Unix())
	}
	if p, ok := catalog.InForce(prices, now); ok {
		c.Pricing = &pricing{
			Prompt: catalog.PerToken(p.Input), Completion: catalog.PerToken(p.Output),
			CacheRead: catalog.PerToken(p.CacheRead), CacheWrite: catalog.PerToken(p.CacheWrite),
		}
	}
	return c
}

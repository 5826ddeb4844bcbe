package api

import (
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
	names := slices.Clone(r.OnFailure)
	for _, s := range r.Select {
		names = append(names, s.Candidates...)
	}
	for _, name := range names {
		if m, ok := p.Model(name); ok {
			one := card(m)
			c.ContextLength, c.MaxModelLen = max(c.ContextLength, one.ContextLength), max(c.MaxModelLen, one.MaxModelLen)
			c.Created = max(c.Created, one.Created)
		}
	}
	return c
}

// modelCards are the names under which the key may use the model: its own, or
// those that say where it is to be served.
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
	return pinned
}

func pinnedCard(m *policy.Model, provider string) modelCard {
	c := card(m)
	c.ID, c.OwnedBy = provider+"/"+m.ID, provider
	return c
}

// card describes a model. Nobody told us when it was made, so that it is as
// old as its first price.
func card(m *policy.Model) modelCard {
	c := modelCard{
		ID: m.ID, Object: "model", OwnedBy: m.Endpoints[0].Provider, Kind: m.Kind,
		ContextLength: m.Context, MaxModelLen: m.Context, MaxOutput: m.MaxOutput,
	}
	if len(m.Prices) > 0 {
		c.Created = max(0, m.Prices[0].Effective.Unix())
	}
	if p, ok := m.PriceAt(time.Now()); ok {
		c.Pricing = &pricing{
			Prompt: catalog.PerToken(p.Input), Completion: catalog.PerToken(p.Output),
			CacheRead: catalog.PerToken(p.CacheRead), CacheWrite: catalog.PerToken(p.CacheWrite),
		}
	}
	return c
}

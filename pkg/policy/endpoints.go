package policy

import (
	"slices"

	"github.com/signalbox/signalbox/pkg/catalog"
)

// endpoints reads places, and where their prices are written: what a price
// needs depends on the model, which is not known yet.
func (c *compiler) endpoints(v value) (all []Endpoint, prices []value) {
	for _, item := range c.items(v) {
		e, price := c.endpoint(item)
		if slices.ContainsFunc(all, func(x Endpoint) bool { return x.Provider == e.Provider }) {
			c.fail(item, CodeDuplicateEntry, "provider %q is listed twice", e.Provider)
		}
		all, prices = append(all, e), append(prices, price)
	}
	return all, prices
}

// maxUpstream is longer than any provider's name of a model.
const maxUpstream = 512

func (c *compiler) endpoint(v value) (e Endpoint, price value) {
	f := c.fields(v, "provider", "model", "price", "context", "max_output", "lacks", "wire")
	provider, ok := f["provider"]
	upstream, ok2 := f["model"]
	if !ok || !ok2 {
		c.fail(v, CodeMissingField, "an endpoint needs provider and model")
		return e, price
	}
	e.Provider = c.providerName(provider)
	e.Upstream = c.label(upstream, maxUpstream)
	e.Wire = c.wire(f["wire"], false)
	if v, ok := f["context"]; ok {
		e.Context = c.integer(v, 1, maxTokens)
	}
	if v, ok := f["max_output"]; ok {
		e.MaxOutput = c.integer(v, 1, maxTokens)
	}
	if v, ok := f["lacks"]; ok {
		e.Lacks = c.lacks(v)
	}
	return e, f["price"]
}

// knownEndpoints keeps the catalog's places whose providers this policy
// writes; if it writes none of them, the first place.
func (c *compiler) knownEndpoints(known catalog.Entry) []Endpoint {
	var all []Endpoint
	for _, e := range known.Endpoints {
		if c.hasProvider(e.Provider) {
			all = append(all, Endpoint{Provider: e.Provider, Upstream: e.Model})
		}
	}
	if len(all) == 0 {
		first := known.Endpoints[0]
		c.enterProvider(first.Provider)
		all = []Endpoint{{Provider: first.Provider, Upstream: first.Model}}
	}
	return all
}

// terms settles where the places of a model differ from it. What is written at
// a place counts most, then what is written of the model, then what the catalog
// knows of the place.
func (c *compiler) terms(f map[string]value, m *Model, known catalog.Entry) {
	written := func(name string) bool { _, ok := f[name]; return ok }
	for i := range m.Endpoints {
		e := &m.Endpoints[i]
		entry, at, ok := c.cat.ServedAt(e.Provider, e.Upstream)
		if ok && entry.ID != known.ID {
			at = stranger(entry, at, known)
		}
		if e.Prices == nil && !written("price") {
			e.Prices = at.Prices
		}
		if e.Context == 0 && !written("context") {
			e.Context = at.Context
		}
		if e.MaxOutput == 0 && !written("max_output") {
			e.MaxOutput = at.MaxOutput
		}
		if e.Lacks == nil && !written("capabilities") {
			e.Lacks = slices.Concat(at.Lacks, at.Unknown)
		}
		e.Lacks = refused(e)
	}
}

// pricesAt are what the catalog knows the place to charge, else the model.
func (c *compiler) pricesAt(e *Endpoint, known catalog.Entry) []catalog.Price {
	entry, at, ok := c.cat.ServedAt(e.Provider, e.Upstream)
	switch {
	case at.Prices != nil:
		return at.Prices
	case ok:
		return entry.Prices
	}
	return known.Prices
}

// stranger is a place that serves another model of the catalog under the name
// of this one: all that is known of it is its own.
func stranger(entry catalog.Entry, at catalog.Endpoint, known catalog.Entry) catalog.Endpoint {
	if at.Prices == nil {
		at.Prices = entry.Prices
	}
	if at.Context == 0 {
		at.Context = entry.Context
	}
	if at.MaxOutput == 0 {
		at.MaxOutput = entry.MaxOutput
	}
	at.Lacks = slices.Clone(at.Lacks)
	for _, have := range known.Capabilities {
		if !entry.Can(have) && !slices.Contains(at.Lacks, have) {
			at.Lacks = append(at.Lacks, have)
		}
	}
	return at
}

// refused adds what the place lacks because it refuses the field.
func refused(e *Endpoint) []catalog.Capability {
	all := slices.Clone(e.Lacks)
	for _, need := range catalog.Capabilities() {
		if field := need.Param(); e.Wire != nil && field != "messages" && slices.Contains(e.Wire.Refuse, field) {
			all = append(all, need)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

package catalog

import (
	"slices"
	"time"
)

// Capabilities lists every capability, in a fixed order.
func Capabilities() []Capability {
	return []Capability{Tools, JSONObject, JSONSchema, Vision, Audio, Files, Reasoning}
}

// Version is a short hash of the catalog's content.
func (c *Catalog) Version() string { return c.version }

// Providers lists the providers in the order of preference.
func (c *Catalog) Providers() []Provider { return c.providers }

// Models lists the models in the catalog's order.
func (c *Catalog) Models() []Entry { return c.models }

// Provider finds a provider by id.
func (c *Catalog) Provider(id string) (Provider, bool) {
	i := slices.IndexFunc(c.providers, func(p Provider) bool { return p.ID == id })
	if i < 0 {
		return Provider{}, false
	}
	return c.providers[i], true
}

// Model finds a model by id.
func (c *Catalog) Model(id string) (Entry, bool) {
	i := slices.IndexFunc(c.models, func(m Entry) bool { return m.ID == id })
	if i < 0 {
		return Entry{}, false
	}
	return c.models[i], true
}

// ServedAt finds the model that a provider serves under its own name.
func (c *Catalog) ServedAt(e Endpoint) (Entry, bool) {
	i := slices.IndexFunc(c.models, func(m Entry) bool { return slices.Contains(m.Endpoints, e) })
	if i < 0 {
		return Entry{}, false
	}
	return c.models[i], true
}

// PriceAt is the price in force at a time; false means unpriced then.
func (m Model) PriceAt(t time.Time) (Price, bool) {
	for i := len(m.Prices) - 1; i >= 0; i-- {
		if !m.Prices[i].Effective.After(t) {
			return m.Prices[i], true
		}
	}
	return Price{}, false
}

// Can reports whether the model has the capability. A model that keeps to a
// JSON schema can also answer with any JSON object.
func (m Model) Can(need Capability) bool {
	if need == JSONObject && slices.Contains(m.Capabilities, JSONSchema) {
		return true
	}
	return slices.Contains(m.Capabilities, need)
}

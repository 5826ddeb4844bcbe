package catalog

import "slices"

// Capabilities lists every capability, in a fixed order.
func Capabilities() []Capability {
	return []Capability{Tools, JSONObject, JSONSchema, Vision, Audio, Files, Reasoning, Logprobs, Choices}
}

// RequestField returns the request field with which a client uses the capability.
func (c Capability) RequestField() string {
	switch c {
	case Tools:
		return "tools"
	case JSONObject, JSONSchema:
		return "response_format"
	case Reasoning:
		return "reasoning_effort"
	case Logprobs:
		return "logprobs"
	case Choices:
		return "n"
	}
	return "messages"
}

// Version returns a short hash of the catalog's content.
func (c *Catalog) Version() string { return c.version }

// Providers returns the providers in the order of providers.json.
func (c *Catalog) Providers() []Provider { return c.providers }

// Models returns the models in the order of models.json.
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
	i, ok := c.byID[id]
	if !ok {
		return Entry{}, false
	}
	return c.models[i], true
}

// FindByName finds a model by its id or an alias.
func (c *Catalog) FindByName(name string) (Entry, bool) {
	if m, ok := c.Model(name); ok {
		return m, true
	}
	i := slices.IndexFunc(c.models, func(m Entry) bool { return slices.Contains(m.Aliases, name) })
	if i < 0 {
		return Entry{}, false
	}
	return c.models[i], true
}

// Source finds the source of a price by id.
func (c *Catalog) Source(id string) (Source, bool) {
	i := slices.IndexFunc(c.sources, func(s Source) bool { return s.ID == id })
	if i < 0 {
		return Source{}, false
	}
	return c.sources[i], true
}

// FindEndpoint finds the endpoint at which a provider serves a model under the name
// upstream. It returns the model and the endpoint.
func (c *Catalog) FindEndpoint(provider, upstream string) (Entry, Endpoint, bool) {
	i, ok := c.byEndpoint[[2]string{provider, upstream}]
	if !ok {
		return Entry{}, Endpoint{}, false
	}
	m := c.models[i]
	at := slices.IndexFunc(m.Endpoints, func(e Endpoint) bool { return e.Provider == provider && e.Model == upstream })
	return m, m.Endpoints[at], true
}

// Can reports whether the model is known to have the capability. A model that supports
// JSON schemas also supports JSON objects. Logprobs and Choices depend only on the
// endpoint.
func (m *Model) Can(need Capability) bool {
	switch need {
	case Logprobs, Choices:
		return true
	case JSONObject:
		return slices.Contains(m.Capabilities, JSONObject) || slices.Contains(m.Capabilities, JSONSchema)
	}
	return slices.Contains(m.Capabilities, need)
}

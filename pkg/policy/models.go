package policy

import (
	"math"
	"slices"

	"github.com/signalbox/signalbox/pkg/catalog"
)

// maxTokens bounds windows, so that sums of them stay far from overflow.
const maxTokens = math.MaxInt32

func (c *compiler) model(v value) {
	c.checkName(v, "._-:/@")
	f := c.fields(v, "kind", "endpoints", "price", "context", "max_output", "capabilities", "quality")
	var written []Endpoint
	if e, ok := f["endpoints"]; ok {
		written = c.endpoints(e)
	}
	known, ok := c.knownModel(v.name, written)
	m := Model{Model: known.Model, Endpoints: written}
	m.ID = v.name
	if _, written := f["endpoints"]; !written && ok {
		m.Endpoints = c.knownEndpoints(known)
	}
	if len(m.Endpoints) == 0 {
		c.fail(v, CodeNoEndpoint, "nothing tells where %q is served: write endpoints: [{provider: ..., model: ...}]", v.name)
	}
	c.facts(f, &m.Model)
	c.out.Models = append(c.out.Models, m)
}

// knownModel is the catalog's entry under this name, else the one that the
// first endpoint serves.
func (c *compiler) knownModel(name string, written []Endpoint) (catalog.Entry, bool) {
	if known, ok := c.cat.Model(name); ok {
		return known, true
	}
	if len(written) == 0 {
		return catalog.Entry{}, false
	}
	return c.cat.ServedAt(catalog.Endpoint{Provider: written[0].Provider, Model: written[0].Upstream})
}

// facts takes what is written over what the catalog supplied.
func (c *compiler) facts(f map[string]value, m *catalog.Model) {
	if m.Kind == "" {
		m.Kind = catalog.Chat
	}
	m.Capabilities = slices.Clone(m.Capabilities)
	if v, ok := f["kind"]; ok {
		m.Kind = catalog.Kind(c.oneOf(v, CodeUnknownKind, []string{string(catalog.Chat), string(catalog.Embeddings)}))
	}
	if v, ok := f["context"]; ok {
		m.Context = c.integer(v, 1, maxTokens)
	}
	if v, ok := f["max_output"]; ok {
		m.MaxOutput = c.integer(v, 1, maxTokens)
	}
	if v, ok := f["capabilities"]; ok {
		m.Capabilities = c.capabilities(v)
	}
	if v, ok := f["price"]; ok {
		m.Prices = c.prices(v, m.Kind)
	}
	if v, ok := f["quality"]; ok {
		m.Quality = c.quality(v)
	}
	slices.Sort(m.Capabilities)
}

func (c *compiler) endpoints(v value) []Endpoint {
	var all []Endpoint
	for _, item := range c.items(v) {
		e := c.endpoint(item)
		if slices.ContainsFunc(all, func(x Endpoint) bool { return x.Provider == e.Provider }) {
			c.fail(item, CodeDuplicateEntry, "provider %q is listed twice", e.Provider)
		}
		all = append(all, e)
	}
	return all
}

func (c *compiler) endpoint(v value) Endpoint {
	f := c.fields(v, "provider", "model")
	provider, ok := f["provider"]
	upstream, ok2 := f["model"]
	if !ok || !ok2 {
		c.fail(v, CodeMissingField, "an endpoint needs provider and model")
		return Endpoint{}
	}
	e := Endpoint{Provider: c.providerName(provider)}
	e.Upstream, _ = c.text(upstream)
	return e
}

func (c *compiler) providerName(v value) string {
	name, ok := c.text(v)
	if ok && !c.hasProvider(name) && !c.enterProvider(name) {
		var names []string
		for _, p := range c.out.Providers {
			names = append(names, p.Name)
		}
		for _, p := range c.cat.Providers() {
			names = append(names, p.ID)
		}
		c.failNear(v, CodeUnknownProvider, name, names, "there is no provider %q", name)
	}
	return name
}

func (c *compiler) hasProvider(name string) bool {
	return slices.ContainsFunc(c.out.Providers, func(p Provider) bool { return p.Name == name })
}

// enterProvider adds a provider that the catalog knows and the document does
// not write.
func (c *compiler) enterProvider(name string) bool {
	if _, ok := c.cat.Provider(name); !ok {
		return false
	}
	c.provider(value{name: name, path: "providers." + name})
	return true
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

func (c *compiler) capabilities(v value) []catalog.Capability {
	var known []string
	for _, k := range catalog.Capabilities() {
		known = append(known, string(k))
	}
	texts, at := c.texts(v)
	var all []catalog.Capability
	for i, text := range texts {
		if !slices.Contains(known, text) {
			c.failNear(at[i], CodeUnknownCapability, text, known, "%q is not a capability", text)
			continue
		}
		all = append(all, catalog.Capability(text))
	}
	return all
}

// quality reads shares from 0 to 1 as thousandths.
func (c *compiler) quality(v value) map[string]int64 {
	all := map[string]int64{}
	for _, topic := range c.entries(v) {
		text, ok := c.text(topic)
		if !ok {
			continue
		}
		n, err := decimal(text, 3)
		if err != nil || n > 1000 {
			c.fail(topic, CodeBadValue, "want a number from 0 to 1 with at most three decimals")
		}
		all[topic.name] = n
	}
	return all
}

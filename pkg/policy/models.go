package policy

import (
	"math"
	"slices"

	"github.com/signalbox/signalbox/pkg/catalog"
)

// maxTokens bounds windows, so that sums of them stay far from overflow.
const maxTokens = math.MaxInt32

func (c *compiler) model(v value) {
	c.checkName(v, nameMarks)
	f := c.fields(v, "kind", "aliases", "endpoints", "price", "context", "max_output", "capabilities", "quality")
	var written []Endpoint
	var prices []value
	if e, ok := f["endpoints"]; ok {
		written, prices = c.endpoints(e)
	}
	known, ok := c.knownModel(v.name, written)
	m := Model{Model: known.Model, Endpoints: written}
	m.ID = v.name
	if m.ID != known.ID {
		// The other names of a model lead to where its own leads.
		m.Aliases = nil
	}
	if _, written := f["endpoints"]; !written && ok {
		m.Endpoints = c.knownEndpoints(known)
	}
	if len(m.Endpoints) == 0 {
		c.fail(v, CodeNoEndpoint, "nothing tells where %q is served: write endpoints: [{provider: ..., model: ...}]", v.name)
	}
	c.facts(f, &m.Model)
	for i, v := range prices {
		if v.node != nil {
			m.Endpoints[i].Prices = c.prices(v, m.Kind, c.pricesAt(&m.Endpoints[i], known))
		}
	}
	c.wires(m.Endpoints, len(written) > 0)
	c.terms(f, &m, known)
	c.out.Models = append(c.out.Models, m)
}

// nameMarks may stand in the name of a model or a route.
const nameMarks = "._-:/@"

// knownModel is the catalog's entry under this name, else the one that the
// first endpoint serves.
func (c *compiler) knownModel(name string, written []Endpoint) (catalog.Entry, bool) {
	if known, ok := c.cat.Model(name); ok {
		return known, true
	}
	if len(written) == 0 {
		return catalog.Entry{}, false
	}
	known, _, ok := c.cat.ServedAt(written[0].Provider, written[0].Upstream)
	return known, ok
}

// facts takes what is written over what the catalog supplied.
func (c *compiler) facts(f map[string]value, m *catalog.Model) {
	m.Capabilities = slices.Clone(m.Capabilities)
	if v, ok := f["kind"]; ok {
		m.Kind = catalog.Kind(c.oneOf(v, CodeUnknownKind, []string{string(catalog.Chat), string(catalog.Embeddings)}))
	}
	if m.Kind == "" {
		m.Kind = catalog.Chat
	}
	if v, ok := f["context"]; ok {
		m.Context = c.integer(v, 1, maxTokens)
	}
	if v, ok := f["max_output"]; ok {
		m.MaxOutput = c.integer(v, 1, maxTokens)
	}
	if v, ok := f["aliases"]; ok {
		m.Aliases = c.aliases(v)
	}
	if v, ok := f["capabilities"]; ok {
		m.Capabilities, m.Unknown = c.capabilities(v, m)
	}
	if v, ok := f["price"]; ok {
		m.Prices = c.prices(v, m.Kind, m.Prices)
	}
	if v, ok := f["quality"]; ok {
		m.Quality = c.quality(v)
	}
	slices.Sort(m.Capabilities)
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

func (c *compiler) aliases(v value) []string {
	names, at := c.texts(v)
	for i, name := range names {
		if !isName(name, nameMarks) {
			c.fail(at[i], CodeBadName, badName, nameMarks, maxName)
		}
		if c.written == nil {
			c.written = map[string]value{}
		}
		if _, taken := c.written[name]; taken {
			c.fail(at[i], CodeNameTaken, "%q is also another model's", name)
		}
		c.written[name] = at[i]
	}
	slices.Sort(names)
	return names
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

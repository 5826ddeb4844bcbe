package policy

import (
	"cmp"
	"math"
	"slices"

	"github.com/signalbox/signalbox/pkg/catalog"
)

// maxTokens bounds token counts, so that their sums cannot overflow.
const maxTokens = math.MaxInt32

func (c *compiler) readModel(v value) {
	c.checkName(v, nameMarks)
	f := c.readFields(v, "like", "kind", "aliases", "endpoints", "price", "context", "max_output", "capabilities", "efforts", "quality")
	var endpoints []Endpoint
	var prices []value
	if e, ok := f["endpoints"]; ok {
		endpoints, prices = c.readEndpoints(e)
	}
	known, ok := c.catalogModel(v.name, f["like"], endpoints)
	m := Model{Model: known.Model, Endpoints: endpoints}
	m.ID = v.name
	if m.ID != known.ID {
		// A model that the document renames does not get the catalog's aliases.
		m.Aliases = nil
	}
	if _, written := f["endpoints"]; !written && ok {
		m.Endpoints = c.catalogEndpoints(known)
	}
	if len(m.Endpoints) == 0 {
		c.reportProblem(v, CodeNoEndpoint, `model %q has no endpoint: add "endpoints: [{provider: ..., model: ...}]"`, v.name)
	}
	c.readModelFields(f, &m.Model)
	for i, v := range prices {
		if v.node != nil {
			m.Endpoints[i].Prices = c.readPrices(v, m.Kind, c.catalogPrices(&m.Endpoints[i], known))
		}
	}
	c.resolveWires(m.Endpoints, len(endpoints) > 0)
	c.fillEndpointDefaults(f, &m, known)
	c.policy.Models = append(c.policy.Models, m)
}

// nameMarks are the punctuation marks that the name of a model or route may contain.
const nameMarks = "._-:/@"

// catalogModel returns the catalog's entry for a model: the entry that the document names
// with "like", else the entry of the model's name, else the entry that the first of its
// endpoints serves. endpoints lists the endpoints that the document sets for the model.
func (c *compiler) catalogModel(name string, like value, endpoints []Endpoint) (catalog.Entry, bool) {
	if like.node != nil {
		return c.readLike(like)
	}
	if known, ok := c.catalog.Model(name); ok {
		return known, true
	}
	if len(endpoints) == 0 {
		return catalog.Entry{}, false
	}
	known, _, ok := c.catalog.FindEndpoint(endpoints[0].Provider, endpoints[0].UpstreamModel)
	return known, ok
}

// readLike reads the name of the catalog model that a model is like, such as a deployment
// with a name of its own.
func (c *compiler) readLike(v value) (catalog.Entry, bool) {
	name, ok := c.readString(v)
	if !ok {
		return catalog.Entry{}, false
	}
	known, ok := c.catalog.Model(name)
	if !ok {
		var names []string
		for _, m := range c.catalog.Models() {
			names = append(names, m.ID)
		}
		c.reportUnknownName(v, CodeUnknownModel, name, names, "the catalog has no model %q", name)
	}
	return known, ok
}

// readModelFields overrides the catalog's values with the values of the document.
func (c *compiler) readModelFields(f map[string]value, m *catalog.Model) {
	m.Capabilities = slices.Clone(m.Capabilities)
	setField(f, "kind", &m.Kind, c.readModelKind)
	m.Kind = cmp.Or(m.Kind, catalog.Chat)
	setField(f, "context", &m.Context, c.integerUpTo(maxTokens))
	setField(f, "max_output", &m.MaxOutput, c.integerUpTo(maxTokens))
	setField(f, "aliases", &m.Aliases, c.readAliases)
	if v, ok := f["capabilities"]; ok {
		m.Capabilities, m.Unknown = c.readCapabilities(v, m)
	}
	if v, ok := f["price"]; ok {
		m.Prices = c.readPrices(v, m.Kind, m.Prices)
	}
	setField(f, "efforts", &m.Efforts, c.readEfforts)
	setField(f, "quality", &m.Quality, c.readQualities)
	slices.Sort(m.Capabilities)
}

func (c *compiler) readModelKind(v value) catalog.Kind {
	return catalog.Kind(c.readOneOf(v, CodeUnknownKind, []string{string(catalog.Chat), string(catalog.Embeddings)}))
}

func (c *compiler) readProviderName(v value) string {
	c.words.addProvider(v)
	name, ok := c.readString(v)
	if ok && !c.hasProvider(name) && !c.addCatalogProvider(name) {
		var names []string
		for _, p := range c.policy.Providers {
			names = append(names, p.Name)
		}
		for _, p := range c.catalog.Providers() {
			names = append(names, p.ID)
		}
		c.reportUnknownName(v, CodeUnknownProvider, name, names, `unknown provider %q: configure it under "providers"`, name)
	}
	return name
}

func (c *compiler) hasProvider(name string) bool {
	return slices.ContainsFunc(c.policy.Providers, func(p Provider) bool { return p.Name == name })
}

// addCatalogProvider adds a provider that is in the catalog but not in the document.
// It returns false if the catalog does not contain the provider.
func (c *compiler) addCatalogProvider(name string) bool {
	if _, ok := c.catalog.Provider(name); !ok {
		return false
	}
	c.readProvider(value{name: name, path: "providers." + name})
	return true
}

func (c *compiler) readAliases(v value) []string {
	names, at := c.readStrings(v)
	for i, name := range names {
		if !isName(name, nameMarks) {
			c.reportProblem(at[i], CodeBadName, badNameMessage, nameMarks, maxNameLength)
		}
		if c.writtenAliases == nil {
			c.writtenAliases = map[string]value{}
		}
		if _, taken := c.writtenAliases[name]; taken {
			c.reportProblem(at[i], CodeNameTaken, "the alias %q is listed twice: remove one of the entries", name)
		}
		c.writtenAliases[name] = at[i]
	}
	slices.Sort(names)
	return names
}

// readQualities reads numbers from 0 to 1 by topic, and returns thousandths.
func (c *compiler) readQualities(v value) map[string]int64 {
	all := map[string]int64{}
	for _, topic := range c.readEntries(v) {
		text, ok := c.readString(topic)
		if !ok {
			continue
		}
		n, err := parseDecimal(text, 3)
		if err != nil || n > 1000 {
			c.reportProblem(topic, CodeBadValue, "must be a number from 0 to 1 with at most three decimal places")
		}
		all[topic.name] = n
	}
	return all
}

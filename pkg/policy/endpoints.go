package policy

import (
	"cmp"
	"slices"

	"github.com/signalbox/signalbox/pkg/catalog"
)

// readEndpoints reads the endpoints of a model. It returns their prices unread, because
// the model's kind is not known yet and is needed to read a price.
func (c *compiler) readEndpoints(v value) (all []Endpoint, prices []value) {
	for _, item := range c.readItems(v) {
		e, price := c.readEndpoint(item)
		if slices.ContainsFunc(all, func(x Endpoint) bool { return x.Provider == e.Provider }) {
			c.reportProblem(item, CodeDuplicateEntry, "provider %q is listed twice: a model has at most one endpoint per provider", e.Provider)
		}
		all, prices = append(all, e), append(prices, price)
	}
	return all, prices
}

// maxUpstreamNameLength is longer than any provider's model name.
const maxUpstreamNameLength = 512

func (c *compiler) readEndpoint(v value) (e Endpoint, price value) {
	f := c.readFields(v, "provider", "model", "price", "context", "max_output", "lacks", "wire")
	provider, ok := f["provider"]
	upstream, ok2 := f["model"]
	if !ok || !ok2 {
		c.reportProblem(v, CodeMissingField, `an endpoint needs the fields "provider" and "model"`)
		return e, price
	}
	e.Provider = c.readProviderName(provider)
	e.UpstreamModel = c.readLabel(upstream, maxUpstreamNameLength)
	e.Wire = c.readWire(f["wire"], false)
	c.checkAPI(f["wire"], e.Wire, c.providerKind(e.Provider))
	setField(f, "context", &e.Context, c.integerUpTo(maxTokens))
	setField(f, "max_output", &e.MaxOutput, c.integerUpTo(maxTokens))
	setField(f, "lacks", &e.Lacks, c.readLacks)
	return e, f["price"]
}

// catalogEndpoints returns the catalog's endpoints at the policy's providers. If there
// are none, it adds the provider of the catalog's first endpoint and returns that
// endpoint.
func (c *compiler) catalogEndpoints(known catalog.Entry) []Endpoint {
	var all []Endpoint
	for _, e := range known.Endpoints {
		if c.hasProvider(e.Provider) {
			all = append(all, Endpoint{Provider: e.Provider, UpstreamModel: e.Model})
		}
	}
	if len(all) == 0 {
		first := known.Endpoints[0]
		c.addCatalogProvider(first.Provider)
		all = []Endpoint{{Provider: first.Provider, UpstreamModel: first.Model}}
	}
	return all
}

// fillEndpointDefaults fills the omitted values of the model's endpoints from the catalog.
// It does not fill a value that the document sets for the model. That value then applies
// to the endpoint.
func (c *compiler) fillEndpointDefaults(f map[string]value, m *Model, known catalog.Entry) {
	written := func(name string) bool { _, ok := f[name]; return ok }
	for i := range m.Endpoints {
		e := &m.Endpoints[i]
		entry, at, ok := c.catalog.FindEndpoint(e.Provider, e.UpstreamModel)
		if ok && entry.ID != known.ID {
			at = describeForeignModel(entry, at, known)
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
		e.Lacks = lacksWithRejectedFields(e)
	}
}

// catalogPrices returns the catalog's prices of the endpoint. If the catalog has none for
// the endpoint, it returns the prices of the catalog model that the endpoint serves. For
// an endpoint that is not in the catalog, it returns the prices of known.
func (c *compiler) catalogPrices(e *Endpoint, known catalog.Entry) []catalog.Price {
	entry, at, ok := c.catalog.FindEndpoint(e.Provider, e.UpstreamModel)
	switch {
	case at.Prices != nil:
		return at.Prices
	case ok:
		return entry.Prices
	}
	return known.Prices
}

// describeForeignModel returns the values of an endpoint that serves another catalog
// model under the name of this model. entry is the other model, and known is this model.
// Values that the catalog does not set for the endpoint come from the other model.
func describeForeignModel(entry catalog.Entry, at catalog.Endpoint, known catalog.Entry) catalog.Endpoint {
	if at.Prices == nil {
		at.Prices = entry.Prices
	}
	at.Context = cmp.Or(at.Context, entry.Context)
	at.MaxOutput = cmp.Or(at.MaxOutput, entry.MaxOutput)
	at.Lacks = slices.Clone(at.Lacks)
	for _, have := range known.Capabilities {
		if !entry.Can(have) && !slices.Contains(at.Lacks, have) {
			at.Lacks = append(at.Lacks, have)
		}
	}
	return at
}

// lacksWithRejectedFields returns the capabilities that the endpoint lacks. They include each
// capability whose request field the endpoint rejects according to its Wire, except for
// the field "messages", which all chat requests contain.
func lacksWithRejectedFields(e *Endpoint) []catalog.Capability {
	all := slices.Clone(e.Lacks)
	for _, need := range catalog.Capabilities() {
		if field := need.RequestField(); e.Wire != nil && field != "messages" && slices.Contains(e.Wire.Reject, field) {
			all = append(all, need)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

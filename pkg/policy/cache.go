package policy

import (
	"time"

	"github.com/signalbox/signalbox/pkg/catalog"
)

// readCache reads a provider's prompt cache. Fields that the document omits come from known,
// the catalog's entry. It returns nil if neither describes the cache.
func (c *compiler) readCache(v value, known *catalog.Cache) *catalog.Cache {
	if v.node == nil {
		return known
	}
	var modes []string
	for _, m := range catalog.CacheModes() {
		modes = append(modes, string(m))
	}
	var written catalog.Cache
	f := c.readFields(v, "mode", "ttl")
	if m, ok := f["mode"]; ok {
		written.Mode = catalog.CacheMode(c.readOneOf(m, CodeBadValue, modes))
	}
	if t, ok := f["ttl"]; ok {
		written.TTLSeconds = c.readSeconds(t)
	}
	if known != nil {
		written = written.Or(*known)
	}
	if written == (catalog.Cache{}) {
		return nil
	}
	return &written
}

// readSeconds reads a duration of at least one second.
func (c *compiler) readSeconds(v value) int64 {
	before := len(c.problems)
	d := c.readDuration(v)
	if d < time.Second && len(c.problems) == before {
		c.reportProblem(v, CodeBadValue, "must be at least 1s")
	}
	return int64(d / time.Second)
}

// Cache returns the prompt cache of the endpoint's provider.
func (e *Endpoint) Cache() catalog.Cache { return e.cache }

// resolveCaches sets the cache of every endpoint. It requires that p.providers is already
// filled.
func (p *Policy) resolveCaches() {
	for i := range p.Models {
		endpoints := p.Models[i].Endpoints
		for k := range endpoints {
			if provider, ok := p.providers[endpoints[k].Provider]; ok {
				endpoints[k].cache = provider.PromptCache()
			}
		}
	}
}

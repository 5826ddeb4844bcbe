package keys

import "github.com/signalbox/signalbox/pkg/apikey"

// fill stores an answer of the service and returns what holds now. It reports
// whether the answer was still true: one that a pushed change has overtaken is
// not stored. No answer brings a revoked key back.
func (c *Cache) fill(digest apikey.Digest, p *Principal) (*Principal, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	holds, news := c.store(digest, p)
	c.tell(news)
	return holds, holds != nil
}

// store returns what holds now, nil if p was overtaken, and the known key that
// has become another.
func (c *Cache) store(digest apikey.Digest, p *Principal) (holds *Principal, news *Known) {
	before, known := c.entries[digest]
	switch {
	case known && !before.principal.Active:
		return before.principal, nil
	case c.recent.overtakes(p):
		return nil, nil
	case !known && len(c.entries) >= capacity:
		news = c.evict()
	}
	e := &entry{principal: p, confirmed: c.now()}
	c.put(digest, e)
	c.revision.Changed++
	if known && !p.same(before.principal) {
		news = c.urgent(digest, e)
	}
	return p, news
}

func (c *Cache) put(digest apikey.Digest, e *entry) {
	c.entries[digest] = e
	delete(c.refused, digest)
	c.byKey[e.principal.KeyID] = digest
}

// evict makes room by dropping any one entry: Go's map order is random enough,
// and a dropped key costs one look-up. What is pushed of it from here on is of a
// key that is not known, so a restart must not know it as it was.
func (c *Cache) evict() *Known {
	for digest, e := range c.entries {
		c.remove(digest, e)
		return &Known{Digest: digest}
	}
	return nil
}

func (c *Cache) remove(digest apikey.Digest, e *entry) {
	delete(c.byKey, e.principal.KeyID)
	delete(c.entries, digest)
}

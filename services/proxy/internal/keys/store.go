package keys

import "github.com/signalbox/signalbox/pkg/apikey"

// storeVerified stores a response of the service and returns the current principal. It
// returns false if a pushed change has made the response outdated: then it stores
// nothing. A revoked key stays revoked.
func (c *Cache) storeVerified(digest apikey.Digest, p *Principal) (*Principal, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	holds, news := c.storeEntry(digest, p)
	c.notify(news)
	return holds, holds != nil
}

// storeEntry returns the current principal, nil if p is outdated, and the known key that
// has changed.
func (c *Cache) storeEntry(digest apikey.Digest, p *Principal) (holds *Principal, news *Known) {
	before, known := c.entries[digest]
	switch {
	case known && !before.principal.Active:
		return before.principal, nil
	case c.recent.supersedes(p):
		return nil, nil
	case !known && len(c.entries) >= maxEntries:
		news = c.evictOne()
	}
	e := &entry{principal: p, confirmedAt: c.now()}
	c.putEntry(digest, e)
	c.revision.Changed++
	if known && !p.equals(before.principal) {
		news = c.markChanged(digest, e)
	}
	return p, news
}

func (c *Cache) putEntry(digest apikey.Digest, e *entry) {
	c.entries[digest] = e
	delete(c.rejected, digest)
	c.byKey[e.principal.KeyID] = digest
}

// evictOne drops a random entry to limit memory. The next use of its key costs one
// verification. It returns the key as dropped, so that a restart does not restore it:
// later changes of it would be missed.
func (c *Cache) evictOne() *Known {
	for digest, e := range c.entries {
		c.removeEntry(digest, e)
		return &Known{Digest: digest}
	}
	return nil
}

func (c *Cache) removeEntry(digest apikey.Digest, e *entry) {
	delete(c.byKey, e.principal.KeyID)
	delete(c.entries, digest)
}

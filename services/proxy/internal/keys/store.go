package keys

import "github.com/signalbox/signalbox/pkg/apikey"

// storeVerified stores a response of the service and returns the current principal. If a
// pushed change has made the response outdated, it stores nothing and returns false. A
// revoked key stays revoked.
func (c *Cache) storeVerified(digest apikey.Digest, p *Principal) (*Principal, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	current, changed := c.storeEntry(digest, p)
	c.notify(changed)
	return current, current != nil
}

// storeEntry returns the current principal, or nil if p is outdated. It also returns the
// known key that has changed, or nil.
func (c *Cache) storeEntry(digest apikey.Digest, p *Principal) (current *Principal, changed *Known) {
	before, known := c.entries[digest]
	switch {
	case known && !before.principal.Active:
		return before.principal, nil
	case c.recent.supersedes(p):
		return nil, nil
	case !known && len(c.entries) >= maxEntries:
		changed = c.evictOne()
	}
	e := &entry{principal: p, confirmedAt: c.now()}
	c.putEntry(digest, e)
	c.revision.Changed++
	if known && !p.equals(before.principal) {
		changed = c.markChanged(digest, e)
	}
	return p, changed
}

func (c *Cache) putEntry(digest apikey.Digest, e *entry) {
	c.entries[digest] = e
	delete(c.rejected, digest)
	c.byKey[e.principal.KeyID] = digest
}

// evictOne drops a random entry to limit memory. The next use of its key costs one
// verification. It returns the key without a principal. The caller passes that to onChange,
// so that a restart does not restore the entry: the cache misses its later changes.
func (c *Cache) evictOne() *Known {
	for digest, e := range c.entries {
		c.removeEntry(digest, e)
		return &Known{Digest: digest}
	}
	return nil
}

func (c *Cache) removeEntry(digest apikey.Digest, e *entry) {
	if c.byKey[e.principal.KeyID] == digest { // a playground key may have a newer secret
		delete(c.byKey, e.principal.KeyID)
	}
	delete(c.entries, digest)
}

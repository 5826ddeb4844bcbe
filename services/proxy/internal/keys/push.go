package keys

import (
	"time"

	"github.com/signalbox/signalbox/pkg/apikey"
)

// Pushed tells the cache that changes are being pushed, and all up to the
// version have been. While that goes on entries need no checking.
func (c *Cache) Pushed(version int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.pushed {
		// Changes may have been missed before the push began.
		for _, e := range c.entries {
			e.stale = true
		}
		c.retry = time.Time{}
	}
	if !c.pushed || version > c.seen {
		c.refused.clear()
	}
	c.pushed, c.covered, c.seen = true, c.now(), max(c.seen, version)
}

// Broken tells the cache that the push has ended: from its last sign of life
// on entries age.
func (c *Cache) Broken() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, e := range c.entries {
		e.confirmed = c.vouched(e)
	}
	c.pushed = false
}

// Seen is the version that the push has reached; the next one goes on there.
func (c *Cache) Seen() int64 {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.seen
}

// Restart forgets which changes were seen, for a service whose store was
// replaced by an older one: its versions begin anew. Revoked keys stay so.
func (c *Cache) Restart() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.seen = 0
	c.refused.clear()
	for _, e := range c.entries {
		c.doubt(e)
	}
}

// Apply takes a pushed change.
func (c *Cache) Apply(ch Change) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.seen = max(c.seen, ch.Version)
	c.revision.Changed++
	c.revision.Urgent++
	// A change does not say which digest it is about, and any may be the one.
	c.refused.clear()
	if ch.KeyID == "" {
		for _, e := range c.entries {
			if e.principal.AccountID == ch.AccountID {
				c.doubt(e)
			}
		}
		return
	}
	if digest, ok := c.byKey[ch.KeyID]; ok {
		c.change(c.entries[digest], ch.Principal)
	}
}

// change gives an entry its new state. A revoked key has no other any more.
func (c *Cache) change(e *entry, p *Principal) {
	switch {
	case !e.principal.Active:
	case p == nil:
		c.doubt(e)
	case !p.Active || p.Version >= e.principal.Version:
		e.principal, e.confirmed, e.stale = p, c.now(), false
	}
}

// doubt makes the next use of an entry ask the service.
func (c *Cache) doubt(e *entry) {
	e.confirmed = c.vouched(e)
	e.stale = true
}

// vouched is when the service last vouched for the entry, by an answer or by
// pushing no change of it.
func (c *Cache) vouched(e *entry) time.Time {
	if c.pushed && !e.stale && c.covered.After(e.confirmed) {
		return c.covered
	}
	return e.confirmed
}

// fill stores an answer of the service, and reports whether it was still true:
// one that a pushed change has overtaken is not stored.
func (c *Cache) fill(digest apikey.Digest, p *Principal) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if p.Version < c.seen {
		return false
	}
	if _, known := c.entries[digest]; known {
		c.revision.Urgent++
	} else if len(c.entries) >= capacity {
		c.evict()
	}
	c.put(digest, &entry{principal: p, confirmed: c.now()})
	c.revision.Changed++
	return true
}

func (c *Cache) put(digest apikey.Digest, e *entry) {
	c.entries[digest] = e
	delete(c.refused.known, digest)
	c.byKey[e.principal.KeyID] = digest
}

// evict makes room by dropping any one entry: Go's map order is random enough,
// and a dropped key costs one look-up.
func (c *Cache) evict() {
	for digest, e := range c.entries {
		delete(c.byKey, e.principal.KeyID)
		delete(c.entries, digest)
		return
	}
}

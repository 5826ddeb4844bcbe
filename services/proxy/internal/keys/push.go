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
	if version > c.seen {
		c.recent.skip(version)
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
	c.seen, c.recent = 0, recent{latest: map[subject]int64{}}
	c.refused.clear()
	for _, e := range c.entries {
		c.doubt(e)
	}
}

// OnRevoked has f told of every known key that turns out to be revoked, as soon
// as it is refused. It is called before the cache is used; f is called without
// a lock, by whoever brought the news.
func (c *Cache) OnRevoked(f func(keyID string)) { c.ended = f }

// Apply takes a pushed change.
func (c *Cache) Apply(ch Change) {
	if c.apply(ch) {
		c.ended(ch.KeyID)
	}
}

// apply reports whether the change has ended a known key.
func (c *Cache) apply(ch Change) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.seen = max(c.seen, ch.Version)
	c.recent.note(ch)
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
		return false
	}
	digest, ok := c.byKey[ch.KeyID]
	return ok && c.change(c.entries[digest], ch.Principal)
}

// change gives an entry its new state, and reports whether that is its last: a
// revoked key has no other any more.
func (c *Cache) change(e *entry, p *Principal) bool {
	switch {
	case !e.principal.Active:
		return false
	case p == nil:
		c.doubt(e)
		return false
	case !p.Active || p.Version >= e.principal.Version:
		e.principal, e.confirmed, e.stale = p, c.now(), false
	}
	return !p.Active
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

// fill stores an answer of the service and returns what holds now. It reports
// whether the answer was still true: one that a pushed change has overtaken is
// not stored. No answer brings a revoked key back.
func (c *Cache) fill(digest apikey.Digest, p *Principal) (*Principal, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, known := c.entries[digest]
	switch {
	case known && !e.principal.Active:
		return e.principal, true
	case c.recent.overtakes(p):
		return nil, false
	case known:
		c.revision.Urgent++
	case len(c.entries) >= capacity:
		c.evict()
	}
	c.put(digest, &entry{principal: p, confirmed: c.now()})
	c.revision.Changed++
	return p, true
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

package keys

import (
	"github.com/signalbox/signalbox/pkg/apikey"
)

// Pushed tells the cache whether changes are being pushed now. While they are,
// entries need no checking; when they stop, entries age.
func (c *Cache) Pushed(on bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	// Changes may have been missed before the push began or after it broke.
	for _, e := range c.entries {
		e.stale = e.stale || on && !c.pushed
	}
	c.pushed = on
}

// Restart forgets which changes were seen, for a service whose store was
// replaced by an older one: its versions begin anew. Revoked keys stay so.
func (c *Cache) Restart() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.seen = 0
	for _, e := range c.entries {
		e.stale = true
	}
}

// Apply takes a pushed change.
func (c *Cache) Apply(ch Change) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.seen = max(c.seen, ch.Version)
	if ch.KeyID == "" {
		for _, e := range c.entries {
			e.stale = e.stale || e.principal.AccountID == ch.AccountID
		}
		return
	}
	digest, ok := c.byKey[ch.KeyID]
	if !ok {
		return
	}
	e := c.entries[digest]
	switch {
	case ch.Principal == nil:
		e.stale = true
	case ch.Principal.Version >= e.principal.Version:
		e.principal, e.fetched, e.stale = ch.Principal, c.now(), false
	}
}

// fill stores an answer of the service, and reports whether it was still true:
// one that a pushed change has overtaken is not stored.
func (c *Cache) fill(digest apikey.Digest, p *Principal) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if p.Version < c.seen {
		return false
	}
	if _, ok := c.entries[digest]; !ok && len(c.entries) >= capacity {
		c.evict()
	}
	c.entries[digest] = &entry{principal: p, fetched: c.now()}
	c.byKey[p.KeyID] = digest
	return true
}

func (c *Cache) forget(digest apikey.Digest) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, ok := c.entries[digest]; ok {
		delete(c.byKey, e.principal.KeyID)
		delete(c.entries, digest)
	}
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

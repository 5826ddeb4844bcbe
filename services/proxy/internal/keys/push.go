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
	for _, e := range c.entries {
		c.doubt(e)
	}
}

// OnChange has f told of every known key that has become another, before that
// counts for anybody: narrowed, moved to another end, revoked, widened. One that the service
// does not know any more, or that had to make room, comes without a principal.
// A key that is only in doubt is not told of: what is remembered always is. It
// is called before the cache is used; f is called by whoever brought the news,
// one at a time and in order, and must be quick and not use the cache.
func (c *Cache) OnChange(f func(Known)) { c.changed = f }

// Apply takes a pushed change.
func (c *Cache) Apply(ch Change) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.tell(c.apply(ch))
}

// tell is called while mu is held: nobody sees a change before it was told of,
// and changes are told of in their order.
func (c *Cache) tell(news *Known) {
	if news != nil {
		c.changed(*news)
	}
}

// apply returns the known key that has become another, nil if none has.
func (c *Cache) apply(ch Change) *Known {
	c.seen = max(c.seen, ch.Version)
	c.recent.note(ch)
	if ch.KeyID == "" {
		for _, e := range c.entries {
			if e.principal.AccountID == ch.AccountID {
				c.doubt(e)
			}
		}
		return nil
	}
	digest, ok := c.byKey[ch.KeyID]
	if !ok || !c.change(c.entries[digest], ch.Principal) {
		return nil
	}
	return c.urgent(digest, c.entries[digest])
}

// change gives an entry its new state, and reports whether that is another: a
// revoked key has no other any more.
func (c *Cache) change(e *entry, p *Principal) bool {
	before := e.principal
	switch {
	case !before.Active:
		return false
	case p == nil:
		c.doubt(e)
		return false
	case p.Active && p.Version < before.Version:
		return false
	}
	e.principal, e.confirmed, e.stale = p, c.now(), false
	return !p.same(before)
}

// urgent counts a key that has become another, and returns it.
func (c *Cache) urgent(digest apikey.Digest, e *entry) *Known {
	c.revision.Changed++
	c.revision.Urgent++
	return &Known{Digest: digest, Principal: e.principal, Confirmed: e.confirmed}
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

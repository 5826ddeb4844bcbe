package keys

import (
	"time"

	"github.com/signalbox/signalbox/pkg/apikey"
)

// PushReached records that the push, the stream of changes from the service, is connected
// and has sent all changes up to the version. After a new connection, each entry is checked
// once before its next use. After that, an entry needs no check while the push is
// connected, unless a change concerns it.
func (c *Cache) PushReached(version int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.pushConnected {
		// Changes may have been missed while the push was not connected.
		for _, e := range c.entries {
			e.stale = true
		}
		c.retryAt = time.Time{}
	}
	if version > c.version {
		c.recent.raiseFloor(version)
	}
	c.pushConnected, c.lastPush, c.version = true, c.now(), max(c.version, version)
}

// PushLost records that the push has ended. From now on, entries age from the last
// message of the push.
func (c *Cache) PushLost() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, e := range c.entries {
		e.confirmedAt = c.lastConfirmed(e)
	}
	c.pushConnected = false
}

// Version returns the version that the push has reached. The next push continues from
// this version.
func (c *Cache) Version() int64 {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.version
}

// ResetVersion sets the version to 0. It is for a service whose store was replaced by an
// older one, so that its versions are lower. Revoked keys stay revoked.
func (c *Cache) ResetVersion() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.version, c.recent = 0, recentChanges{latest: map[subject]int64{}}
	for _, e := range c.entries {
		c.markStale(e)
	}
}

// OnChange sets the function that is called with every known key that has changed, before
// Resolve can return the new state. If the service no longer knows the key, or the key was
// evicted, its Principal is nil. A key that only needs a new check is not reported. Call
// OnChange before the cache is used. Calls of f are sequential and in the order of the
// changes. f must be fast and must not use the cache.
func (c *Cache) OnChange(f func(Known)) { c.onChange = f }

// Apply applies a pushed change.
func (c *Cache) Apply(ch Change) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.notify(c.applyChange(ch))
}

// notify calls onChange. The caller must hold mu, so that no other caller sees a change
// before onChange does, and changes are reported in order.
func (c *Cache) notify(news *Known) {
	if news != nil {
		c.onChange(*news)
	}
}

// applyChange returns the known key that has changed, or nil.
func (c *Cache) applyChange(ch Change) *Known {
	c.version = max(c.version, ch.Version)
	c.recent.add(ch)
	if ch.KeyID == "" {
		for _, e := range c.entries {
			if e.principal.AccountID == ch.AccountID {
				c.markStale(e)
			}
		}
		return nil
	}
	digest, ok := c.byKey[ch.KeyID]
	if !ok || !c.updateEntry(c.entries[digest], ch.Principal) {
		return nil
	}
	return c.markChanged(digest, c.entries[digest])
}

// updateEntry applies a pushed state to an entry and reports whether the state has changed.
// It ignores an active state that is older than the current one. A revoked key never changes
// again.
func (c *Cache) updateEntry(e *entry, p *Principal) bool {
	before := e.principal
	switch {
	case !before.Active:
		return false
	case p == nil:
		c.markStale(e)
		return false
	case p.Active && p.Version < before.Version:
		return false
	}
	e.principal, e.confirmedAt, e.stale = p, c.now(), false
	return !p.equals(before)
}

// markChanged counts a changed key in the revision and returns its new state.
func (c *Cache) markChanged(digest apikey.Digest, e *entry) *Known {
	c.revision.Changed++
	c.revision.Urgent++
	return &Known{Digest: digest, Principal: e.principal, Confirmed: e.confirmedAt}
}

// markStale requires a check before the next use of an entry.
func (c *Cache) markStale(e *entry) {
	e.confirmedAt = c.lastConfirmed(e)
	e.stale = true
}

// lastConfirmed returns when the service last confirmed the entry: by a response, or by a
// later push message without a change of the entry.
func (c *Cache) lastConfirmed(e *entry) time.Time {
	if c.pushConnected && !e.stale && c.lastPush.After(e.confirmedAt) {
		return c.lastPush
	}
	return e.confirmedAt
}

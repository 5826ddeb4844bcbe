package keys

import (
	"time"

	"github.com/signalbox/signalbox/pkg/apikey"
)

// Snapshot is the content of a cache, to be stored across a restart. It contains digests
// of keys, never the keys themselves.
type Snapshot struct {
	// Version is the number of the last change that the push had sent.
	Version int64
	Known   []Known
}

// Known is the state of one known key.
type Known struct {
	Digest apikey.Digest
	// Principal must not be modified. It is nil for a key that is no longer known.
	Principal *Principal
	// Confirmed is when the service last confirmed this state.
	Confirmed time.Time
}

// Revision changes whenever the cache changes.
type Revision struct {
	// Changed counts stored states, including those of new keys.
	Changed uint64
	// Urgent counts changes of known keys. A change may restrict a key. A restart from an
	// older snapshot would undo the restriction.
	Urgent uint64
	// Covered is when the push last confirmed all entries by a message.
	Covered time.Time
}

// Revision returns the current revision.
func (c *Cache) Revision() Revision {
	c.mu.RLock()
	defer c.mu.RUnlock()
	r := c.revision
	r.Covered = c.lastPush
	return r
}

// Export copies the content of the cache.
func (c *Cache) Export() Snapshot {
	c.mu.RLock()
	defer c.mu.RUnlock()
	s := Snapshot{Version: c.version, Known: make([]Known, 0, len(c.entries))}
	for digest, e := range c.entries {
		s.Known = append(s.Known, Known{Digest: digest, Principal: e.principal, Confirmed: c.lastConfirmed(e)})
	}
	return s
}

// Import fills an empty cache from a snapshot and returns how many keys are usable. Each
// key is verified at its first use. If the service does not respond, the key is used up to
// the hard age. Revoked keys stay revoked at any age. Import skips keys that are too old.
// It also skips keys that were confirmed more than softAge in the future: the clock was
// changed, so their age is unknown. From here on, ages use the monotonic clock.
func (c *Cache) Import(s Snapshot) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.version = s.Version
	c.recent.raiseFloor(s.Version)
	now, usable := c.now(), 0
	for _, k := range s.Known {
		e := &entry{principal: k.Principal, confirmedAt: now.Add(k.Confirmed.Sub(now)), stale: true}
		live := k.Principal.Active && c.isWithinHardAge(e) && k.Confirmed.Before(now.Add(softAge))
		if (live || !k.Principal.Active) && len(c.entries) < maxEntries {
			c.putEntry(k.Digest, e)
		}
		if live {
			usable++
		}
	}
	return usable
}

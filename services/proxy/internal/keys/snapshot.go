package keys

import (
	"time"

	"github.com/signalbox/signalbox/pkg/apikey"
)

// Snapshot is what a cache knows, to be kept over a restart. It has no keys,
// only their digests.
type Snapshot struct {
	// Seen is the version that the push had reached.
	Seen  int64
	Known []Known
}

// Known is what is known of one key.
type Known struct {
	Digest apikey.Digest
	// Principal is not to be changed. It is nil for a key that is known no more.
	Principal *Principal
	// Confirmed is when the service last vouched for it.
	Confirmed time.Time
}

// Revision tells whether a cache has changed since it was last looked at.
type Revision struct {
	// Changed counts what was learned.
	Changed uint64
	// Urgent counts the known keys that have become others, which may have
	// taken something away: a restart from an older snapshot would let somebody
	// in.
	Urgent uint64
	// Covered is when the push last vouched for all that is known.
	Covered time.Time
}

// Revision is the present one.
func (c *Cache) Revision() Revision {
	c.mu.RLock()
	defer c.mu.RUnlock()
	r := c.revision
	r.Covered = c.covered
	return r
}

// Export copies what the cache knows.
func (c *Cache) Export() Snapshot {
	c.mu.RLock()
	defer c.mu.RUnlock()
	s := Snapshot{Seen: c.seen, Known: make([]Known, 0, len(c.entries))}
	for digest, e := range c.entries {
		s.Known = append(s.Known, Known{Digest: digest, Principal: e.principal, Confirmed: c.vouched(e)})
	}
	return s
}

// Import fills an empty cache with what an earlier one knew, and returns how
// many keys can be used because of it. Each is asked for at its first use, and
// used up to the hard age if nobody answers. Revoked keys are revoked at any
// age. What is too old to be used is left out, as is what was confirmed in the
// future: the clock was set, so that its age is unknown. From here on ages are
// counted by a clock that nobody sets.
func (c *Cache) Import(s Snapshot) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.seen = s.Seen
	c.recent.skip(s.Seen)
	now, usable := c.now(), 0
	for _, k := range s.Known {
		e := &entry{principal: k.Principal, confirmed: now.Add(k.Confirmed.Sub(now)), stale: true}
		live := k.Principal.Active && c.lives(e) && k.Confirmed.Before(now.Add(softAge))
		if (live || !k.Principal.Active) && len(c.entries) < capacity {
			c.put(k.Digest, e)
		}
		if live {
			usable++
		}
	}
	return usable
}

package keys

import (
	"context"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/signalbox/signalbox/pkg/apikey"
	"github.com/signalbox/signalbox/pkg/apperr"
)

const (
	// verifyBudget bounds a look-up of a known key: its caller waits no longer
	// for a service that hangs.
	verifyBudget = 250 * time.Millisecond
	// learnBudget bounds that of an unknown one, which cannot be served without
	// the service: long enough for a restart of it.
	learnBudget = 2 * time.Second
	// softAge is how long an entry is trusted while no changes are pushed.
	softAge = 30 * time.Second
	// hardAge is how long a known key works while the service is away, from the
	// last moment at which the service vouched for it.
	hardAge = 15 * time.Minute
	// capacity bounds memory; an entry is about half a kilobyte.
	capacity = 100_000
)

// Cache resolves keys. It is safe for concurrent use.
type Cache struct {
	service Service
	now     func() time.Time
	flight  singleflight.Group
	// learning has a place for each caller that may wait with an unknown key.
	learning chan struct{}

	mu      sync.RWMutex
	entries map[apikey.Digest]*entry
	byKey   map[string]apikey.Digest
	refused refusals
	// seen is the version that the push has reached, and recent what it told on
	// the way: an answer that was read earlier may undo a change.
	seen   int64
	recent recent
	pushed bool
	// covered is when the push was last heard of.
	covered time.Time
	// retry is when a service that did not answer is asked again on behalf of
	// known keys; zero while it answers.
	retry    time.Time
	revision Revision

	// changed is told of known keys that have become others.
	changed func(Known)
}

type entry struct {
	principal *Principal
	// confirmed is when the service last vouched for it, not counting the push
	// that is going on.
	confirmed time.Time
	stale     bool
}

// NewCache makes an empty cache in front of the service.
func NewCache(service Service, now func() time.Time) *Cache {
	return &Cache{
		service:  service,
		now:      now,
		learning: make(chan struct{}, learners),
		entries:  map[apikey.Digest]*entry{},
		byKey:    map[string]apikey.Digest{},
		refused:  refusals{},
		recent:   recent{latest: map[subject]int64{}},
		changed:  func(Known) {},
	}
}

// Resolve returns the principal of a key. One that is known is answered from
// memory, or after a short question if it is in doubt; for one that is not, the
// caller may wait until ctx ends or the service had time to come back. Errors:
// AUTH_INVALID_KEY, AUTH_UNAVAILABLE.
func (c *Cache) Resolve(ctx context.Context, key string) (*Principal, error) {
	if len(key) != apikey.Len {
		return nil, invalid("unknown")
	}
	digest := apikey.Sum(key)
	e, fresh := c.find(digest)
	switch {
	case fresh:
		return c.usable(e.principal)
	case e.principal == nil && !apikey.Valid(key): // what is known is well formed
		return nil, invalid("unknown")
	case e.principal == nil || !c.lives(&e):
		return c.learn(ctx, digest)
	case c.spared(digest):
		return c.usable(e.principal)
	}
	p, err := c.verify(ctx, digest, c.ask)
	switch {
	case err == nil:
		return c.usable(p)
	case apperr.Is(err, apperr.AuthInvalidKey):
		return nil, err
	}
	// What was pushed meanwhile counts.
	if e, _ = c.find(digest); e.principal == nil {
		return nil, unavailable(err)
	}
	return c.usable(e.principal)
}

// usable applies what time and revocation do to a principal that is known.
func (c *Cache) usable(p *Principal) (*Principal, error) {
	if !p.Active {
		return nil, invalid(reasonRevoked)
	}
	if !p.ExpiresAt.IsZero() && !c.now().Before(p.ExpiresAt) {
		return nil, invalid("expired")
	}
	return p, nil
}

// find returns a copy of the entry, empty for an unknown key, and whether it
// can be trusted as it is. A revoked key is revoked for good, at any age.
func (c *Cache) find(digest apikey.Digest) (entry, bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	e, ok := c.entries[digest]
	if !ok {
		return entry{}, false
	}
	trusted := !e.stale && (c.pushed || c.now().Sub(e.confirmed) < softAge)
	return *e, trusted || !e.principal.Active
}

// lives reports whether the entry may be used while the service is away.
func (c *Cache) lives(e *entry) bool { return c.now().Sub(e.confirmed) < hardAge }

package keys

import (
	"context"
	"errors"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/signalbox/signalbox/pkg/apikey"
	"github.com/signalbox/signalbox/pkg/apperr"
)

const (
	// verifyBudget bounds a look-up at the key service: a caller with an
	// unknown key waits no longer for a service that hangs.
	verifyBudget = 250 * time.Millisecond
	// softAge is how long an entry is trusted while no changes are pushed.
	softAge = 30 * time.Second
	// hardAge is how long a known key works while the service is away.
	hardAge = 15 * time.Minute
	// capacity bounds memory; an entry is about half a kilobyte.
	capacity = 100_000
)

// Cache resolves keys. It is safe for concurrent use.
type Cache struct {
	service Service
	now     func() time.Time
	flight  singleflight.Group

	mu      sync.RWMutex
	entries map[apikey.Digest]*entry
	byKey   map[string]apikey.Digest
	// seen is the version of the last change pushed: an answer that was read
	// before it may undo it, and is asked for again.
	seen   int64
	pushed bool
}

type entry struct {
	principal *Principal
	fetched   time.Time
	stale     bool
}

// NewCache makes an empty cache in front of the service.
func NewCache(service Service, now func() time.Time) *Cache {
	return &Cache{
		service: service,
		now:     now,
		entries: map[apikey.Digest]*entry{},
		byKey:   map[string]apikey.Digest{},
	}
}

// Resolve returns the principal of a key. Errors: AUTH_INVALID_KEY,
// AUTH_UNAVAILABLE.
func (c *Cache) Resolve(ctx context.Context, key string) (*Principal, error) {
	if !apikey.Valid(key) {
		return nil, invalid("unknown")
	}
	digest := apikey.Sum(key)
	e, fresh := c.find(digest)
	if fresh {
		return c.usable(e.principal)
	}
	p, err := c.verify(ctx, digest)
	switch {
	case err == nil:
		return c.usable(p)
	case apperr.Is(err, apperr.AuthInvalidKey):
		return nil, err
	case e != nil && c.now().Sub(e.fetched) < hardAge:
		return c.usable(e.principal)
	}
	return nil, unavailable(err)
}

// usable applies what time and revocation do to a principal that is known.
func (c *Cache) usable(p *Principal) (*Principal, error) {
	if !p.Active {
		return nil, invalid("revoked")
	}
	if !p.ExpiresAt.IsZero() && !c.now().Before(p.ExpiresAt) {
		return nil, invalid("expired")
	}
	return p, nil
}

// find returns a copy of the entry and whether it can be trusted as it is. A
// revoked key is revoked for good, at any age.
func (c *Cache) find(digest apikey.Digest) (*entry, bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	e, ok := c.entries[digest]
	if !ok {
		return nil, false
	}
	found := *e
	trusted := !e.stale && (c.pushed || c.now().Sub(e.fetched) < softAge)
	return &found, trusted || !e.principal.Active
}

// verify asks the service, once for all callers that wait for the same key.
func (c *Cache) verify(ctx context.Context, digest apikey.Digest) (*Principal, error) {
	v, err, _ := c.flight.Do(string(digest[:]), func() (any, error) {
		// The first caller's departure must not fail the others.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), verifyBudget)
		defer cancel()
		return c.ask(ctx, digest)
	})
	if err != nil {
		return nil, err
	}
	return v.(*Principal), nil
}

// tries is how often an overtaken answer is asked for again.
const tries = 3

var errOvertaken = errors.New("the answers are older than the changes")

// ask repeats a question whose answer was overtaken by a pushed change: an
// answer read before a revocation must not be used after it.
func (c *Cache) ask(ctx context.Context, digest apikey.Digest) (*Principal, error) {
	for range tries {
		p, err := c.service.Verify(ctx, digest)
		if err != nil {
			if apperr.Is(err, apperr.AuthInvalidKey) {
				c.forget(digest)
			}
			return nil, err
		}
		if c.fill(digest, p) {
			return p, nil
		}
	}
	return nil, errOvertaken
}

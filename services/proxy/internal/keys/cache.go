package keys

import (
	"cmp"
	"context"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/signalbox/signalbox/pkg/apikey"
	"github.com/signalbox/signalbox/pkg/apperr"
)

const (
	// verifyTimeout is the default of Timeouts.Verify.
	verifyTimeout = 250 * time.Millisecond
	// lookupTimeout is the default of Timeouts.Lookup.
	lookupTimeout = 2 * time.Second
	// softAge is how long an entry is used without a check while the push, the stream of
	// changes from the service, is disconnected.
	softAge = 30 * time.Second
	// hardAge is how long a known key works while the service is unavailable, counted
	// from the last confirmation by the service.
	hardAge = 15 * time.Minute
	// maxEntries limits memory. An entry takes about half a kilobyte.
	maxEntries = 100_000
)

// Timeouts limit the checks of keys. A field that is 0 has its default.
type Timeouts struct {
	// Verify limits the check of a known key. If it expires, the key is used without the
	// check.
	Verify time.Duration
	// Lookup limits the check of an unknown key. It is long enough for a restart of the
	// service, because an unknown key cannot be used without the check.
	Lookup time.Duration
}

// Cache resolves keys. It is safe for concurrent use.
type Cache struct {
	service  Service
	now      func() time.Time
	timeouts Timeouts
	flight   singleflight.Group
	// lookupSlots limits the number of callers that wait for the check of an unknown key.
	lookupSlots chan struct{}

	mu       sync.RWMutex
	entries  map[apikey.Digest]*entry
	byKey    map[string]apikey.Digest
	rejected rejections
	// version is the number of the last change that the push has sent.
	version int64
	// recent holds the last pushed changes. Without it, a response of the service that was
	// read before a change could undo the change.
	recent        recentChanges
	pushConnected bool
	// lastPush is when the push last sent anything.
	lastPush time.Time
	// retryAt is when the service is called again for known keys after it did not
	// respond. It is zero while the service responds.
	retryAt  time.Time
	revision Revision

	// onChange is called with every known key that has changed.
	onChange func(Known)
}

type entry struct {
	principal *Principal
	// confirmedAt is when the service last confirmed the entry. While the push is
	// connected, the push confirms entries without updating confirmedAt; see
	// lastConfirmed.
	confirmedAt time.Time
	stale       bool
}

// NewCache returns an empty cache for the service.
func NewCache(service Service, now func() time.Time) *Cache {
	return &Cache{
		service:     service,
		now:         now,
		timeouts:    Timeouts{Verify: verifyTimeout, Lookup: lookupTimeout},
		lookupSlots: make(chan struct{}, maxLookups),
		entries:     map[apikey.Digest]*entry{},
		byKey:       map[string]apikey.Digest{},
		rejected:    rejections{},
		recent:      recentChanges{latest: map[subject]int64{}},
		onChange:    func(Known) {},
	}
}

// SetTimeouts changes the timeouts. It must be called before the cache is used.
func (c *Cache) SetTimeouts(t Timeouts) {
	c.timeouts = Timeouts{Verify: cmp.Or(t.Verify, verifyTimeout), Lookup: cmp.Or(t.Lookup, lookupTimeout)}
}

// Resolve returns the principal of a key. A known key is resolved from memory, after a
// short check if it may have changed. For an unknown key, or a known key that the service
// has not confirmed for hardAge, the caller waits until the service responds, at most
// Timeouts.Lookup. The errors have the codes AUTH_INVALID_KEY and AUTH_UNAVAILABLE.
func (c *Cache) Resolve(ctx context.Context, key string) (*Principal, error) {
	if len(key) != apikey.Len {
		return nil, invalidKeyError("unknown")
	}
	digest := apikey.DigestOf(key)
	e, fresh := c.find(digest)
	switch {
	case fresh:
		return c.checkUsable(e.principal)
	case e.principal == nil && !apikey.IsValid(key): // known keys are well-formed
		return nil, invalidKeyError("unknown")
	case e.principal == nil || !c.isWithinHardAge(&e):
		return c.lookUp(ctx, digest)
	case c.skipVerify(digest):
		return c.checkUsable(e.principal)
	}
	p, err := c.verifyShared(ctx, digest, c.verifyKnown)
	switch {
	case err == nil:
		return c.checkUsable(p)
	case apperr.Is(err, apperr.AuthInvalidKey):
		return nil, err
	}
	// A change may have been pushed in the meantime.
	if e, _ = c.find(digest); e.principal == nil {
		return nil, unavailableError(err)
	}
	return c.checkUsable(e.principal)
}

// checkUsable rejects a revoked or expired principal.
func (c *Cache) checkUsable(p *Principal) (*Principal, error) {
	if !p.Active {
		return nil, invalidKeyError(reasonRevoked)
	}
	if !p.ExpiresAt.IsZero() && !c.now().Before(p.ExpiresAt) {
		return nil, invalidKeyError("expired")
	}
	return p, nil
}

// find returns a copy of the entry, and whether it can be used without a check. The entry
// is empty for an unknown key. A revoked key needs no check at any age.
func (c *Cache) find(digest apikey.Digest) (entry, bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	e, ok := c.entries[digest]
	if !ok {
		return entry{}, false
	}
	trusted := !e.stale && (c.pushConnected || c.now().Sub(e.confirmedAt) < softAge)
	return *e, trusted || !e.principal.Active
}

// isWithinHardAge reports whether the entry may be used while the service is unavailable.
func (c *Cache) isWithinHardAge(e *entry) bool { return c.now().Sub(e.confirmedAt) < hardAge }

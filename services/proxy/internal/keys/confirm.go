package keys

import (
	"context"
	"time"

	"github.com/signalbox/signalbox/pkg/apikey"
)

// maxConfirmAge is how old the last message of the push may be for Confirm to trust it. The
// service sends one every second.
const maxConfirmAge = 1500 * time.Millisecond

// Confirm returns the current principal of a known key, for work that no client waits for.
// Unlike Resolve it never uses a state that may be outdated: it asks the service if the push is
// silent, and returns false if the service does not respond within Timeouts.Verify.
func (c *Cache) Confirm(ctx context.Context, keyID string) (*Principal, bool) {
	p, digest, isCurrent := c.findByID(keyID)
	if p == nil {
		return nil, false
	}
	if !isCurrent {
		if c.isUnreachable() {
			return nil, false
		}
		var err error
		if p, err = c.verifyKnown(ctx, digest); err != nil {
			return nil, false
		}
	}
	p, err := c.checkUsable(p)
	return p, err == nil
}

// findByID returns the principal of a key, nil if the key is not known, and whether the push has
// confirmed it just now.
func (c *Cache) findByID(keyID string) (p *Principal, digest apikey.Digest, isCurrent bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	digest, ok := c.byKey[keyID]
	if !ok {
		return nil, digest, false
	}
	e := c.entries[digest]
	return e.principal, digest, !e.principal.Active || !e.stale && c.pushConnected && c.now().Sub(c.lastPush) < maxConfirmAge
}

// isUnreachable reports whether the service did not respond just now.
func (c *Cache) isUnreachable() bool {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.now().Before(c.retryAt)
}

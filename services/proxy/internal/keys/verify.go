package keys

import (
	"context"
	"errors"
	"time"

	"github.com/signalbox/signalbox/pkg/apikey"
	"github.com/signalbox/signalbox/pkg/apperr"
)

const (
	// maxAttempts is how often a key is verified while pushed changes make the response
	// outdated.
	maxAttempts = 3
	// retryPause is how long the service is not called for known keys after it did not
	// respond.
	retryPause = time.Second
)

var errOutdated = errors.New("the response is older than the pushed changes")

// verifyShared verifies a key once for all concurrent callers with the same key. It
// returns early if ctx ends.
func (c *Cache) verifyShared(ctx context.Context, digest apikey.Digest, verify func(context.Context, apikey.Digest) (*Principal, error)) (*Principal, error) {
	// The other callers still need the result if the first one disconnects.
	lasting := context.WithoutCancel(ctx)
	response := c.flight.DoChan(string(digest[:]), func() (any, error) {
		// Another verification may have ended after the caller looked into the cache.
		if e, fresh := c.find(digest); fresh {
			return e.principal, nil
		}
		if err := c.rejectionError(digest); err != nil {
			return nil, err
		}
		return verify(lasting, digest)
	})
	select {
	case a := <-response:
		if a.Err != nil {
			return nil, a.Err
		}
		return a.Val.(*Principal), nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// skipVerify reports whether a known key is used without a check, because the service did
// not respond last time. Once per retryPause it starts a check in the background.
func (c *Cache) skipVerify(digest apikey.Digest) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.retryAt.IsZero() {
		return false
	}
	if now := c.now(); !now.Before(c.retryAt) {
		c.retryAt = now.Add(retryPause)
		c.flight.DoChan(string(digest[:]), func() (any, error) { return c.verifyKnown(context.Background(), digest) })
	}
	return true
}

// verifyKnown verifies a known key within a short timeout.
func (c *Cache) verifyKnown(ctx context.Context, digest apikey.Digest) (*Principal, error) {
	ctx, cancel := context.WithTimeout(ctx, c.timeouts.Verify)
	defer cancel()
	return c.verifyCurrent(ctx, digest)
}

// verifyCurrent verifies a key, and verifies it again if a pushed change made the response
// outdated. A response from before a revocation must not be used after it.
func (c *Cache) verifyCurrent(ctx context.Context, digest apikey.Digest) (*Principal, error) {
	for range maxAttempts {
		startedAt := c.now()
		p, err := c.service.Verify(ctx, digest)
		c.recordReachable(err == nil || apperr.Is(err, apperr.AuthInvalidKey))
		if err != nil {
			if apperr.Is(err, apperr.AuthInvalidKey) {
				c.recordRejection(digest, err, startedAt)
			}
			return nil, err
		}
		if p, ok := c.storeVerified(digest, p); ok {
			return p, nil
		}
	}
	return nil, errOutdated
}

func (c *Cache) recordReachable(yes bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.retryAt = time.Time{}
	if !yes {
		c.retryAt = c.now().Add(retryPause)
	}
}

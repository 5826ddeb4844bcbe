package keys

import (
	"context"
	"errors"
	"time"

	"github.com/signalbox/signalbox/pkg/apikey"
	"github.com/signalbox/signalbox/pkg/apperr"
)

const (
	// tries is how often an overtaken answer is asked for again.
	tries = 3
	// retryPause is how long a service that did not answer is left alone by
	// those who can do without it.
	retryPause = time.Second
)

var errOvertaken = errors.New("the answers are older than the changes")

// verify asks the service, once for all callers that wait for the same key.
func (c *Cache) verify(ctx context.Context, digest apikey.Digest) (*Principal, error) {
	v, err, _ := c.flight.Do(string(digest[:]), func() (any, error) { return c.ask(ctx, digest) })
	if err != nil {
		return nil, err
	}
	return v.(*Principal), nil
}

// spared reports whether a caller with a known key is spared the wait, because
// the service did not answer the last time. Once in a while one of them asks
// again, and does not wait either.
func (c *Cache) spared(digest apikey.Digest) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.retry.IsZero() {
		return false
	}
	if now := c.now(); !now.Before(c.retry) {
		c.retry = now.Add(retryPause)
		c.flight.DoChan(string(digest[:]), func() (any, error) { return c.ask(context.Background(), digest) })
	}
	return true
}

// ask repeats a question whose answer was overtaken by a pushed change: an
// answer read before a revocation must not be used after it.
func (c *Cache) ask(ctx context.Context, digest apikey.Digest) (*Principal, error) {
	// The first caller's departure must not fail the others.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), verifyBudget)
	defer cancel()
	for range tries {
		p, err := c.service.Verify(ctx, digest)
		c.answered(err == nil || apperr.Is(err, apperr.AuthInvalidKey))
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

func (c *Cache) answered(yes bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.retry = time.Time{}
	if !yes {
		c.retry = c.now().Add(retryPause)
	}
}

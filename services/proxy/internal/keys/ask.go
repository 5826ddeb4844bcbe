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

// verify asks the service, once for all callers that wait for the same key. It
// waits no longer than its caller.
func (c *Cache) verify(ctx context.Context, digest apikey.Digest, ask func(context.Context, apikey.Digest) (*Principal, error)) (*Principal, error) {
	// The first caller's departure must not fail the others.
	lasting := context.WithoutCancel(ctx)
	answer := c.flight.DoChan(string(digest[:]), func() (any, error) { return ask(lasting, digest) })
	select {
	case a := <-answer:
		if a.Err != nil {
			return nil, a.Err
		}
		return a.Val.(*Principal), nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
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

// ask asks once.
func (c *Cache) ask(ctx context.Context, digest apikey.Digest) (*Principal, error) {
	ctx, cancel := context.WithTimeout(ctx, verifyBudget)
	defer cancel()
	return c.question(ctx, digest)
}

// question repeats itself if its answer was overtaken by a pushed change: an
// answer read before a revocation must not be used after it.
func (c *Cache) question(ctx context.Context, digest apikey.Digest) (*Principal, error) {
	for range tries {
		asked := c.now()
		p, err := c.service.Verify(ctx, digest)
		c.answered(err == nil || apperr.Is(err, apperr.AuthInvalidKey))
		if err != nil {
			if apperr.Is(err, apperr.AuthInvalidKey) {
				c.refuse(digest, err, asked)
			}
			return nil, err
		}
		if p, ok := c.fill(digest, p); ok {
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

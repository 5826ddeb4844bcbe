package keys

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/signalbox/signalbox/pkg/apikey"
	"github.com/signalbox/signalbox/pkg/apperr"
)

const (
	// learners is how many callers with unknown keys may wait at a time. Each
	// holds a connection and has sent no body yet.
	learners = 1024
	// firstPause is before a service that did not answer is asked again for an
	// unknown key; longestPause is what it grows to.
	firstPause   = 50 * time.Millisecond
	longestPause = 400 * time.Millisecond
)

var errCrowded = errors.New("too many callers wait for the key service")

// learn resolves a key that is not known.
func (c *Cache) learn(ctx context.Context, digest apikey.Digest) (*Principal, error) {
	if err := c.refusal(digest); err != nil {
		return nil, err
	}
	select {
	case c.learning <- struct{}{}:
		defer func() { <-c.learning }()
	default:
		return nil, unavailable(errCrowded)
	}
	p, err := c.verify(ctx, digest, c.insist)
	switch {
	case err == nil:
		return c.usable(p)
	case apperr.Is(err, apperr.AuthInvalidKey):
		return nil, err
	}
	return nil, unavailable(err)
}

// insist asks until the service answers or the budget is used up, so that a
// restart of it is a short wait and no failure.
func (c *Cache) insist(ctx context.Context, digest apikey.Digest) (*Principal, error) {
	ctx, cancel := context.WithTimeout(ctx, learnBudget)
	defer cancel()
	for pause := firstPause; ; pause = min(2*pause, longestPause) {
		p, err := c.question(ctx, digest)
		if err == nil || apperr.Is(err, apperr.AuthInvalidKey) || errors.Is(err, errOvertaken) {
			return p, err
		}
		select {
		case <-time.After(pause/2 + rand.N(pause)): //nolint:gosec // jitter needs no secrecy
		case <-ctx.Done():
			return nil, err
		}
	}
}

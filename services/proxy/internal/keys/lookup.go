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
	// maxLookups is how many callers with unknown keys may wait at the same time. Each
	// caller occupies a connection, but its body has not been read yet.
	maxLookups = 1024
	// firstPause is the first pause between attempts to verify an unknown key. The pause
	// doubles up to maxPause.
	firstPause = 50 * time.Millisecond
	maxPause   = 400 * time.Millisecond
)

var errTooManyLookups = errors.New("too many requests are waiting for the key service")

func (c *Cache) lookUp(ctx context.Context, digest apikey.Digest) (*Principal, error) {
	if err := c.rejectionError(digest); err != nil {
		return nil, err
	}
	select {
	case c.lookupSlots <- struct{}{}:
		defer func() { <-c.lookupSlots }()
	default:
		return nil, unavailableError(errTooManyLookups)
	}
	p, err := c.verifyShared(ctx, digest, c.verifyWithRetries)
	switch {
	case err == nil:
		return c.checkUsable(p)
	case apperr.Is(err, apperr.AuthInvalidKey):
		return nil, err
	}
	return nil, unavailableError(err)
}

// verifyWithRetries repeats the verification until the service responds or
// Timeouts.Lookup expires. A restart of the service then causes a short wait instead of an error.
func (c *Cache) verifyWithRetries(ctx context.Context, digest apikey.Digest) (*Principal, error) {
	ctx, cancel := context.WithTimeout(ctx, c.timeouts.Lookup)
	defer cancel()
	for pause := firstPause; ; pause = min(2*pause, maxPause) {
		p, err := c.verifyCurrent(ctx, digest)
		if err == nil || apperr.Is(err, apperr.AuthInvalidKey) || errors.Is(err, errOutdated) {
			return p, err
		}
		select {
		case <-time.After(pause/2 + rand.N(pause)): //nolint:gosec // jitter needs no secrecy
		case <-ctx.Done():
			return nil, err
		}
	}
}

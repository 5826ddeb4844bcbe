package keys

import (
	"errors"
	"time"

	"github.com/signalbox/signalbox/pkg/apikey"
	"github.com/signalbox/signalbox/pkg/apperr"
)

const (
	// rejectionAge is how long a rejection is repeated without a new check, counted from
	// the start of the last check. A key that becomes valid thus works within a second,
	// although pushed changes do not clear rejections.
	rejectionAge = time.Second
	// maxRejections limits memory. If more keys are rejected within a second, some of them
	// are checked again.
	maxRejections = 4096
)

// rejections holds the keys that the service has just rejected. Without it, a client that
// keeps sending an invalid key would cause load on the service.
type rejections map[apikey.Digest]rejection

type rejection struct {
	reason string
	until  time.Time
}

func (r rejections) add(digest apikey.Digest, reason string, verifiedAt time.Time) {
	if len(r) >= maxRejections {
		clear(r)
	}
	r[digest] = rejection{reason: reason, until: verifiedAt.Add(rejectionAge)}
}

// rejectionError returns the error of a key that was just rejected, or nil.
func (c *Cache) rejectionError(digest apikey.Digest) error {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if r, ok := c.rejected[digest]; ok && c.now().Before(r.until) {
		return invalidKeyError(r.reason)
	}
	return nil
}

func (c *Cache) recordRejection(digest apikey.Digest, err error, verifiedAt time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.notify(c.dropRejected(digest, rejectionReason(err), verifiedAt))
}

// dropRejected removes a rejected key from the entries. A revoked key remains as revoked,
// because a revocation is final. dropRejected returns the known key that has changed, or nil.
func (c *Cache) dropRejected(digest apikey.Digest, reason string, verifiedAt time.Time) *Known {
	c.rejected.add(digest, reason, verifiedAt)
	e, ok := c.entries[digest]
	if !ok || !e.principal.Active {
		return nil
	}
	if reason == reasonRevoked {
		last := *e.principal
		last.Active = false
		e.principal = &last
		return c.markChanged(digest, e)
	}
	c.removeEntry(digest, e)
	c.revision.Urgent++
	return &Known{Digest: digest}
}

// rejectionReason returns the reason in the service's error.
func rejectionReason(err error) string {
	var e *apperr.Error
	if errors.As(err, &e) {
		if reason, ok := e.Details["reason"].(string); ok {
			return reason
		}
	}
	return "unknown"
}

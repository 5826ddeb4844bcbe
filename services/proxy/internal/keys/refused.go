package keys

import (
	"errors"
	"time"

	"github.com/signalbox/signalbox/pkg/apikey"
	"github.com/signalbox/signalbox/pkg/apperr"
)

const (
	// refusedAge is how long a refusal is repeated without asking, counted from
	// the question: a key that is made valid after it works within a second. So
	// nothing that is pushed needs to end a refusal, and nobody can make the
	// service busy by changing keys.
	refusedAge = time.Second
	// refusedCapacity bounds memory; more bad keys than that in a second cost
	// a look-up each.
	refusedCapacity = 4096
)

// refusals are keys that the service has just refused, so that a client which
// keeps sending one does not keep the service busy.
type refusals map[apikey.Digest]refusal

type refusal struct {
	reason string
	until  time.Time
}

func (r refusals) add(digest apikey.Digest, reason string, asked time.Time) {
	if len(r) >= refusedCapacity {
		clear(r)
	}
	r[digest] = refusal{reason: reason, until: asked.Add(refusedAge)}
}

// refusal is the error of a key that was just refused, or nil.
func (c *Cache) refusal(digest apikey.Digest) error {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if r, ok := c.refused[digest]; ok && c.now().Before(r.until) {
		return invalid(r.reason)
	}
	return nil
}

// refuse takes note of a key that the service refuses.
func (c *Cache) refuse(digest apikey.Digest, err error, asked time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.tell(c.drop(digest, reason(err), asked))
}

// drop forgets a refused key, but not that one is revoked: that is true for
// good. It returns the known key that has ended so.
func (c *Cache) drop(digest apikey.Digest, reason string, asked time.Time) *Known {
	c.refused.add(digest, reason, asked)
	e, ok := c.entries[digest]
	if !ok || !e.principal.Active {
		return nil
	}
	if reason == reasonRevoked {
		last := *e.principal
		last.Active = false
		e.principal = &last
		return c.urgent(digest, e)
	}
	c.remove(digest, e)
	c.revision.Urgent++
	return &Known{Digest: digest}
}

// reason is what the service said of a key that it refused.
func reason(err error) string {
	var e *apperr.Error
	if errors.As(err, &e) {
		if said, ok := e.Details["reason"].(string); ok {
			return said
		}
	}
	return "unknown"
}

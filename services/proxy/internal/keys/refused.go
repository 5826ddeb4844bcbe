package keys

import (
	"errors"
	"time"

	"github.com/signalbox/signalbox/pkg/apikey"
	"github.com/signalbox/signalbox/pkg/apperr"
)

const (
	// refusedAge is how long a refusal is repeated without asking: a key that
	// is made valid works within a second, even if nobody tells of it.
	refusedAge = time.Second
	// refusedCapacity bounds memory; more bad keys than that in a second cost
	// a look-up each.
	refusedCapacity = 4096
)

// refusals are keys that the service has just refused, so that a client which
// keeps sending one does not keep the service busy.
type refusals struct {
	known map[apikey.Digest]refusal
	// epoch counts the changes heard of. A refusal that was asked for in an
	// earlier one may have been overtaken, and is not kept.
	epoch uint64
}

type refusal struct {
	reason string
	until  time.Time
}

// moment is when a question was asked.
type moment struct {
	epoch uint64
	at    time.Time
}

func (r *refusals) clear() {
	r.epoch++
	clear(r.known)
}

func (r *refusals) add(digest apikey.Digest, reason string, asked moment) {
	if r.epoch != asked.epoch {
		return
	}
	if len(r.known) >= refusedCapacity {
		clear(r.known)
	}
	r.known[digest] = refusal{reason: reason, until: asked.at.Add(refusedAge)}
}

func (c *Cache) moment() moment {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return moment{epoch: c.refused.epoch, at: c.now()}
}

// refusal is the error of a key that was just refused, or nil.
func (c *Cache) refusal(digest apikey.Digest) error {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if r, ok := c.refused.known[digest]; ok && c.now().Before(r.until) {
		return invalid(r.reason)
	}
	return nil
}

// refuse takes note of a key that the service refuses.
func (c *Cache) refuse(digest apikey.Digest, err error, asked moment) {
	if keyID, ended := c.drop(digest, reason(err), asked); ended {
		c.ended(keyID)
	}
}

// drop forgets a refused key, but not that one is revoked: that is true for
// good. It reports which key has ended so.
func (c *Cache) drop(digest apikey.Digest, reason string, asked moment) (keyID string, ended bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.refused.add(digest, reason, asked)
	e, ok := c.entries[digest]
	if !ok || !e.principal.Active {
		return "", false
	}
	c.revision.Urgent++
	if reason == reasonRevoked {
		last := *e.principal
		last.Active = false
		e.principal = &last
		return last.KeyID, true
	}
	delete(c.byKey, e.principal.KeyID)
	delete(c.entries, digest)
	return "", false
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

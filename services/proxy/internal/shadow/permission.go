package shadow

import (
	"context"
	"time"
)

const (
	// permissionInterval is how often the permission of waiting samples is checked.
	permissionInterval = 400 * time.Millisecond
	// busyInterval is how often a comparison that has paused for clients looks again, and
	// maxPause how long it pauses before it gives up.
	busyInterval = 20 * time.Millisecond
	maxPause     = 10 * time.Second
	// maxLullWait limits how long a call waits for a moment without requests of clients. Under
	// load there is none. The call then starts anyway.
	maxLullWait = 32 * time.Millisecond
)

// watchPermissions drops waiting samples that may no longer be used, until ctx ends.
func (p *Pool) watchPermissions(ctx context.Context) {
	tick := time.NewTicker(permissionInterval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			p.dropForbidden(ctx)
		}
	}
}

// dropForbidden takes every waiting sample out of the queue, and puts those back that may be
// used.
func (p *Pool) dropForbidden(ctx context.Context) {
	allowed := map[string]bool{}
	for range len(p.queue) {
		select {
		case c := <-p.queue:
			key := c.record.KeyID
			if _, known := allowed[key]; !known {
				allowed[key] = p.MayUse(ctx, key)
			}
			p.bytes.Add(-c.size())
			switch {
			case !allowed[key]:
				p.counts.add(OptedOut)
			case !p.isCurrent(c):
				p.counts.add(NotAllowed)
			default:
				p.enqueue(c)
			}
		default:
			return
		}
	}
}

// isCurrent reports whether the policy of a comparison is still in use and neither of its models
// is drained. So a new policy, such as one with a paused experiment, ends the comparisons of the
// old one.
func (p *Pool) isCurrent(c *comparison) bool {
	if p.IsInUse != nil && !p.IsInUse(c.policy) {
		return false
	}
	return p.IsDrained == nil || !p.IsDrained(c.record.Candidate) && !p.IsDrained(c.record.Judge)
}

// mayCall reports whether a comparison may make its next call: its policy and the account still
// allow it, and clients leave capacity for it. It waits for the latter.
func (p *Pool) mayCall(ctx context.Context, c *comparison) bool {
	for deadline := time.Now().Add(maxPause); p.IsBusy(); {
		select {
		case <-ctx.Done():
			return false
		case <-time.After(busyInterval):
		}
		if time.Now().After(deadline) {
			return false
		}
	}
	p.awaitLull(ctx)
	return p.isCurrent(c) && p.MayUse(ctx, c.record.KeyID)
}

// awaitLull waits for a moment without requests of clients, for maxLullWait at most. So a call
// starts between the requests of a small machine instead of beside one.
func (p *Pool) awaitLull(ctx context.Context) {
	for pause := time.Millisecond; pause < maxLullWait && p.IsServing != nil && p.IsServing(); pause *= 2 {
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
	}
}

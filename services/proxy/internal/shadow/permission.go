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
	// load there is none, and nobody waits for the call.
	maxLullWait = 32 * time.Millisecond
)

// watchPermissions drops waiting samples whose account no longer allows experiments, until ctx
// ends.
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
			if allowed[key] {
				p.enqueue(c)
			} else {
				p.counts.add(OptedOut)
			}
		default:
			return
		}
	}
}

// mayCall reports whether a comparison may make its next call: the account still allows it, and
// clients leave room for it. It waits for the latter.
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
	return p.MayUse(ctx, c.record.KeyID)
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

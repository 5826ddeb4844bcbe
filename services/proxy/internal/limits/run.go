package limits

import (
	"context"
	"time"
)

// ProxyTTL is how long a proxy counts as running after it was last seen.
const ProxyTTL = 5 * time.Second

const (
	// windowsPerSecond is the number of windows in a second.
	windowsPerSecond = 10
	// windowsPerSweep is the number of windows between two calls of dropIdle.
	windowsPerSweep = 600
	// accountsPerBatch is the maximum number of accounts whose updates are sent together.
	accountsPerBatch = 64
	// updatesPerExchange is the maximum number of updates in one round trip. So many fit well
	// into the timeout of a request.
	updatesPerExchange = 256
	// reconnectTimeout limits each call after an outage. Such a call may have to
	// connect first.
	reconnectTimeout = time.Second
	// finalSyncTimeout limits all exchanges at shutdown together.
	finalSyncTimeout = time.Second
)

// Run synchronizes leases and holds, the parts of limits that this proxy takes in advance,
// with the shared counters. It also saves the limit state to the file. When ctx ends, it
// gives up everything that no request uses, saves the limit state a last time, and returns.
func (k *Limiter) Run(ctx context.Context) {
	ticker := time.NewTicker(time.Duration(window))
	defer ticker.Stop()
	var w counterMonitor
	for i := 0; ; i++ {
		if k.counters != nil {
			// Count the proxies more often at first. Proxies often start together, so
			// their number changes quickly.
			w.tick(ctx, k, i%windowsPerSecond == 0 || i < 2*windowsPerSecond)
		}
		if i%windowsPerSecond == 0 {
			k.saveIfChanged()
		}
		if i%windowsPerSweep == windowsPerSweep-1 {
			k.dropIdle()
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			k.shutDown(context.WithoutCancel(ctx))
			return
		}
	}
}

// syncActive sends the due updates of the active accounts. It removes from the list
// the accounts that need no more updates. wait limits each round trip.
func (k *Limiter) syncActive(ctx context.Context, final bool, wait time.Duration) {
	k.mu.Lock()
	list := k.activeAccounts
	k.activeAccounts = nil
	k.mu.Unlock()
	for len(list) > 0 {
		n := min(accountsPerBatch, len(list))
		k.syncAccounts(ctx, list[:n], final, wait)
		k.relistActive(list[:n])
		list = list[n:]
	}
}

// syncAccounts sends the updates of some accounts together. It does nothing while the
// counters are unavailable.
func (k *Limiter) syncAccounts(ctx context.Context, list []*account, final bool, wait time.Duration) {
	if k.unavailable.Load() {
		return
	}
	var b batch
	for _, a := range list {
		a.mu.Lock()
		if a.inFlight == nil {
			k.gatherUpdates(&b, a, k.toInstant(k.now()), final)
		}
		a.mu.Unlock()
	}
	if len(b.parts) > 0 {
		k.exchangeBatch(ctx, &b, wait)
	}
}

// relistActive puts accounts that need more exchanges back on the list.
func (k *Limiter) relistActive(list []*account) {
	c := k.calendarAt(k.now())
	for _, a := range list {
		a.mu.Lock()
		if a.listed = !a.dropSynced(c); a.listed {
			k.mu.Lock()
			k.activeAccounts = append(k.activeAccounts, a)
			k.mu.Unlock()
		}
		a.mu.Unlock()
	}
}

// shutDown gives up what no request uses, and saves the limit state.
func (k *Limiter) shutDown(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, finalSyncTimeout)
	defer cancel()
	if k.counters != nil {
		k.syncActive(ctx, true, k.counterTimeout)
	}
	k.saveIfChanged()
}

// dropIdle drops accounts and keys that can be forgotten.
func (k *Limiter) dropIdle() {
	t := k.now()
	now, c := k.toInstant(t), k.calendarAt(t)
	k.forEachAccount(func(a *account) {
		if a.prune(now, c, k.counters == nil); !a.removed {
			return
		}
		s := k.shardFor(a.id)
		s.Lock()
		delete(s.accounts, a.id)
		s.Unlock()
	})
}

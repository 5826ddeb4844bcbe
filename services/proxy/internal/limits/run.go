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

	minProbeDelay = 100 * time.Millisecond
	maxProbeDelay = 4 * time.Second
	// stableAfter is how long the shared counters must have been available before an outage
	// resets the probe delay.
	stableAfter = 10 * time.Second
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

// counterMonitor tracks the availability of the counters for Run.
type counterMonitor struct {
	// lostAt is when the counters became unavailable. It is zero while they are
	// available.
	lostAt    time.Time
	nextProbe time.Time
	// respondingSince is when the counters responded to a probe again. It is zero
	// if they did not respond to the last probe.
	respondingSince time.Time
	probeDelay      time.Duration
	recoveredAt     time.Time
	// registered means that this proxy has registered with the counters.
	registered bool
	// fewerSince is the time of the first report of fewer proxies than before. It is zero
	// if the last report was not lower.
	fewerSince time.Time
}

// tick sends due updates, or probes the counters while they are unavailable.
func (w *counterMonitor) tick(ctx context.Context, k *Limiter, count bool) {
	if k.unavailable.Load() {
		w.probe(ctx, k)
		return
	}
	w.lostAt, w.respondingSince = time.Time{}, time.Time{}
	if count {
		w.updateProxyCount(ctx, k)
	}
	// A shutdown does not interrupt an update, because the counters may or may not have
	// applied an interrupted one: units that it returned would be lost for a minute.
	k.syncActive(context.WithoutCancel(ctx), false, k.counterTimeout)
}

// updateProxyCount registers this proxy and reads how many proxies are running. If
// the earlier registration is missing, the counters have lost their data. Then
// updateProxyCount sends everything again.
func (w *counterMonitor) updateProxyCount(ctx context.Context, k *Limiter) {
	n, known, err := k.countProxies(ctx, k.counterTimeout, ProxyTTL, true)
	// A shutdown that ends ctx during the call is no outage. Otherwise shutDown would not
	// give up what this proxy holds.
	if err != nil && ctx.Err() == nil {
		k.markUnavailable(err)
	}
	if err != nil {
		return
	}
	w.applyProxyCount(k, n)
	if w.registered && !known {
		k.resumeShared(context.WithoutCancel(ctx))
	}
	w.registered = true
}

// applyProxyCount accepts a higher number of proxies at once. It accepts a lower
// number only after ProxyTTL, because counters that lost their data report too few
// proxies at first.
func (w *counterMonitor) applyProxyCount(k *Limiter, n int) {
	now := k.now()
	switch {
	case n >= k.ProxyCount():
		w.fewerSince = time.Time{}
	case w.fewerSince.IsZero():
		w.fewerSince = now
		return
	case now.Sub(w.fewerSince) < ProxyTTL:
		return
	}
	k.proxies.Store(int64(max(1, n)))
}

// probe checks whether unavailable counters respond again. It checks less often if
// they fail again soon after a recovery. The counters are used again once all
// proxies have reported what they counted alone, or after ProxyTTL. If this proxy
// used them earlier, money that other proxies have spent could look free.
func (w *counterMonitor) probe(ctx context.Context, k *Limiter) {
	now := k.now()
	w.noteOutage(now)
	if now.Before(w.nextProbe) {
		return
	}
	w.nextProbe = now.Add(w.probeDelay)
	since := now.Sub(w.lostAt)
	if !k.reportAfterOutage(ctx, since) {
		w.respondingSince = time.Time{}
		return
	}
	if w.respondingSince.IsZero() {
		w.respondingSince = now
	}
	// This call has the timeout of a request, because requests will wait for the counters again. If it
	// is too slow, only this probe fails: the other proxies can report meanwhile.
	n, _, err := k.countProxies(ctx, k.counterTimeout, since, true)
	if err != nil {
		return
	}
	if n < k.ProxyCount() && now.Sub(w.respondingSince) < ProxyTTL {
		w.nextProbe = now
		return
	}
	k.proxies.Store(int64(max(1, n)))
	w.recoveredAt, w.registered = k.now(), true
	k.resumeShared(context.WithoutCancel(ctx))
}

func (w *counterMonitor) noteOutage(now time.Time) {
	if !w.lostAt.IsZero() {
		return
	}
	w.lostAt = now
	w.probeDelay = min(max(minProbeDelay, 2*w.probeDelay), maxProbeDelay)
	if now.Sub(w.recoveredAt) > stableAfter {
		w.probeDelay = minProbeDelay
	}
	w.nextProbe = now.Add(w.probeDelay)
}

// reportAfterOutage reports the local spend to counters that did not respond for a while. Its calls
// may have to connect, so they have a longer timeout than those of a request.
func (k *Limiter) reportAfterOutage(ctx context.Context, since time.Duration) bool {
	_, _, err := k.countProxies(ctx, reconnectTimeout, since, false)
	return err == nil && k.reportOfflineSpend(ctx)
}

func (k *Limiter) countProxies(ctx context.Context, wait, within time.Duration, join bool) (int, bool, error) {
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	return k.counters.CountProxies(ctx, within, join)
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

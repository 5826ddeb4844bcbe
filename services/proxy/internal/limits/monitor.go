package limits

import (
	"context"
	"time"
)

const (
	minProbeDelay = 100 * time.Millisecond
	maxProbeDelay = 4 * time.Second
	// stableAfter is how long the shared counters must have been available before an outage
	// resets the probe delay.
	stableAfter = 10 * time.Second
)

// counterMonitor tracks the availability of the counters for Run.
type counterMonitor struct {
	// lostAt is when the counters became unavailable. It is zero while they are
	// available.
	lostAt    time.Time
	nextProbe time.Time
	lastProbe time.Time
	// respondingSince is when the counters accepted a report again, plus the time since then in which
	// they were too slow for requests. It is zero if the last report failed.
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
// used them earlier, money that other proxies have spent could look free. ProxyTTL does
// not include the time in which the counters are too slow for requests.
func (w *counterMonitor) probe(ctx context.Context, k *Limiter) {
	now := k.now()
	w.noteOutage(now)
	if now.Before(w.nextProbe) {
		return
	}
	interval := now.Sub(w.lastProbe)
	w.lastProbe, w.nextProbe = now, now.Add(w.probeDelay)
	since := now.Sub(w.lostAt)
	if !k.reportAfterOutage(ctx, since) {
		w.respondingSince = time.Time{}
		return
	}
	// This call has the timeout of a request, because requests will wait for the counters again.
	n, _, err := k.countProxies(ctx, k.counterTimeout, since, true)
	switch {
	case w.respondingSince.IsZero():
		w.respondingSince = now
	case err != nil:
		w.respondingSince = w.respondingSince.Add(interval)
	}
	if err != nil || n < k.ProxyCount() && now.Sub(w.respondingSince) < ProxyTTL {
		w.nextProbe = now
		return
	}
	k.proxies.Store(int64(max(1, n)))
	w.recoveredAt, w.registered = k.now(), true
	w.lostAt, w.respondingSince = time.Time{}, time.Time{} // before the counters can fail again
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

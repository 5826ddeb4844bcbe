package limits

import (
	"time"

	"github.com/signalbox/signalbox/pkg/saturate"
)

const (
	// maxLeaseAge is the age at which unused leased units are returned. Until then, a
	// unit may be used later than the counters assume.
	maxLeaseAge = int64(time.Second)
	// At most 1/leaseDivisor of a limit is leased in advance.
	leaseDivisor = 20
)

// rate is a limit per minute. With shared counters, units come from a lease. The
// counters treat leased units as used, so no other proxy gets them. Without shared
// counters, units come from a local bucket. account.mu guards the rate.
type rate struct {
	CounterID
	limit int64
	// lease counts the leased units that are left.
	lease int64
	// leasedAt is the instant of the last grant. If units are returned to an empty
	// lease, it is the instant of that return.
	leasedAt int64
	// debt counts units that were used without a grant.
	debt int64
	// shared is the shared counter as it was last reported.
	shared bucket
	// local counts everything if there are no shared counters. While the shared
	// counters are unavailable, it counts this proxy's share.
	local         bucket
	countsLocally bool
	// locallyUsed counts the units used since the counters became unavailable.
	locallyUsed int64
	usage       recentUsage
	pending     pendingNeed
	// covered is what waiting requests need of the lease and can have. They wait for other
	// limits. The next update does not return it.
	covered  int64
	shortage shortage
}

// setLimit changes the limit. It drops the lease, which was granted under the old
// limit. If the limit is removed, it also drops the debt.
func (r *rate) setLimit(limit int64) {
	if r.limit != limit {
		r.limit, r.lease, r.shortage = limit, 0, shortage{}
	}
	if limit == 0 {
		r.debt, r.locallyUsed, r.pending, r.covered = 0, 0, pendingNeed{}, 0
	}
}

// switchMode adapts r to a change between shared and local counting. When the
// counters become unavailable, local starts with the use that shared last had. When
// the counters are available again, the local use becomes debt. Units that have
// become available again meanwhile do not become debt.
func (r *rate) switchMode(now int64, m mode) {
	if m.standalone || r.countsLocally == m.unavailable {
		return
	}
	r.countsLocally = m.unavailable
	if m.unavailable {
		r.local.fullAt = max(r.local.fullAt, r.shared.fullAt)
		return
	}
	r.debt = saturate.Add(r.debt, min(r.locallyUsed, unitsIn(r.local.usedTime(now), m.shareOf(r.limit))))
	r.locallyUsed = 0
}

// canTake reports whether n units can be used now.
func (r *rate) canTake(n, now int64, m mode) bool {
	// The limit may have been removed while a request waited.
	if r.limit == 0 {
		return true
	}
	r.switchMode(now, m)
	if !m.standalone && !m.unavailable {
		return n <= r.lease
	}
	share := m.shareOf(r.limit)
	// A request within the limit must be possible even if it exceeds this proxy's
	// share.
	fitsWhole := r.local.usedTime(now) == 0 && n <= r.limit
	return fitsWhole || saturate.Sub(n, r.lease) <= r.local.available(now, share)
}

// take uses n units. canTake must have returned true.
func (r *rate) take(n, now int64, m mode) {
	r.usage.addSum(now, n)
	leased := min(n, r.lease)
	r.lease -= leased
	r.countUnleased(n-leased, now, m)
}

// countUnleased counts n units that are not covered by the lease.
func (r *rate) countUnleased(n, now int64, m mode) {
	if n == 0 || r.limit == 0 {
		return
	}
	if !m.standalone && !m.unavailable {
		r.debt = saturate.Add(r.debt, n)
		return
	}
	r.local.take(now, n, m.shareOf(r.limit))
	r.locallyUsed = saturate.Add(r.locallyUsed, n)
}

// settle replaces a reservation of taken units by the actual use. age is the time since
// the reservation, in nanoseconds. While the request ran, some of its unused units became
// available again. settle does not return these units, because they could then be used
// twice.
func (r *rate) settle(taken, actual, age, now int64, m mode) {
	if r.limit == 0 {
		return
	}
	r.switchMode(now, m)
	unused := saturate.Sub(taken, actual)
	if unused < 0 {
		more := -unused
		leased := min(more, r.lease)
		r.lease -= leased
		r.countUnleased(more-leased, now, m)
		return
	}
	unused -= min(unused, unitsIn(age, r.limit))
	if m.standalone {
		r.local.giveBack(now, unused, r.limit)
		return
	}
	if r.lease == 0 {
		r.leasedAt = now
	}
	r.lease = saturate.Add(r.lease, unused)
}

// desiredLease returns how many units to lease in advance.
func (r *rate) desiredLease(now int64) int64 {
	return min(r.limit/leaseDivisor, r.usage.recent(now))
}

// nextUpdate returns the update to send, and false if none is needed. If final is
// set, the update returns the lease.
func (r *rate) nextUpdate(now int64, m mode, final bool) (RateUpdate, bool) {
	if r.limit == 0 {
		return RateUpdate{}, false
	}
	r.switchMode(now, m)
	a := RateUpdate{CounterID: r.CounterID, Limit: r.limit, Debit: r.debt, LastUsed: time.Duration(r.shared.usedTime(now))}
	target, most := r.desiredLease(now), max(1, r.limit/leaseDivisor, r.covered)
	switch {
	case final:
		a.Returned = r.lease
	case r.pending.sum > 0:
		a.Min, a.Max = max(1, r.pending.min-r.lease), max(r.pending.sum, target)
	case now-r.leasedAt >= maxLeaseAge && r.covered == 0:
		a.Returned = r.lease
	case r.lease > most:
		a.Returned = r.lease - most
	case r.lease < target && !r.shortage.covers(1, now):
		a.Max = target - r.lease
	}
	r.covered = 0
	if a.Max == 0 && a.Returned == 0 && a.Debit == 0 {
		return a, false
	}
	r.lease, r.debt, r.pending = r.lease-a.Returned, 0, pendingNeed{}
	return a, true
}

// undoUpdate restores the debt after a failed update. If the counters applied the
// update nevertheless, the debt is counted twice. Returned units are not restored,
// so they may be unusable for a minute.
func (r *rate) undoUpdate(a *RateUpdate) { r.debt = saturate.Add(r.debt, a.Debit) }

func (r *rate) applyGrant(a *RateUpdate, g RateGrant, now int64) {
	r.shared.fullAt = now + int64(g.Used)
	if a.Limit != r.limit {
		return
	}
	if g.Units > 0 {
		r.lease, r.leasedAt = saturate.Add(r.lease, g.Units), now
	}
	r.shortage = shortage{}
	if g.Units < a.Max {
		amount := a.Min
		if g.Units > 0 {
			amount = 1
		}
		until := now + min(window, int64(r.shared.waitFor(now, max(1, amount), r.limit)))
		r.shortage = shortage{max(1, amount), until}
	}
}

// isSynced reports whether the counters have everything that r can report.
func (r *rate) isSynced() bool {
	return r.lease == 0 && r.debt == 0 && r.locallyUsed == 0 && r.pending.sum == 0
}

// remaining returns how many units are available now, as far as this proxy can
// tell, and the time until the whole limit is available.
func (r *rate) remaining(now int64, m mode) (int64, time.Duration) {
	b, limit := r.shared, r.limit
	if m.standalone || m.unavailable {
		b, limit = r.local, m.shareOf(r.limit)
	}
	return min(r.limit, saturate.Add(r.lease, b.available(now, limit))), time.Duration(b.usedTime(now))
}

// waitFor returns the time until n units are available.
func (r *rate) waitFor(n, now int64, m mode) time.Duration {
	share := m.shareOf(r.limit)
	switch {
	case !m.standalone && !m.unavailable:
		return r.shared.waitFor(now, n, r.limit)
	case n > share:
		return time.Duration(r.local.usedTime(now))
	}
	return r.local.waitFor(now, n, share)
}

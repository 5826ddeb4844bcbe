package limits

import (
	"math"
	"time"
)

const (
	slotHoldTTL   = 10 * time.Second
	budgetHoldTTL = 60 * time.Second
	// slotCounterTTL is how long the counter of slots outlives its last use.
	slotCounterTTL = time.Minute
	// spendReportDelay is the delay before spent money is reported to the counters.
	spendReportDelay = int64(500 * time.Millisecond)
	// spareIdleTimeout is how long spare money is held without use.
	spareIdleTimeout = int64(time.Second)
	// A proxy holds at most 1/budgetSpareDivisor of the free money as a spare.
	budgetSpareDivisor = 100
)

// pool is a limit of concurrent requests, counted in slots, or a budget, counted
// in money of a period. Requests reserve from what this proxy holds. The lock of
// its account guards it.
type pool struct {
	CounterID
	limit int64
	// period is empty for slots. resetsAt is when the budget resets.
	period   string
	resetsAt time.Time
	// held includes reserved, the part for running requests. Spending reduces
	// held.
	held, reserved int64
	// ownSpent is what this proxy has spent, reportedSpent the part of it that
	// the counters know. storedSpent is what all proxies have spent according
	// to the stored records.
	ownSpent, reportedSpent, storedSpent int64
	// externalSpent is the part of storedSpent that is not in ownSpent. It was
	// spent by other proxies or before the budget was set. The counters know it.
	externalSpent int64
	// sharedSpent and sharedFree are the counters' last figures. They include
	// reportedSpent.
	sharedSpent, sharedFree int64
	hasGrant, needsResync   bool
	// hasFallbackShare means that this proxy took its share of sharedFree while
	// the counters were unavailable.
	hasFallbackShare bool
	lastUpdate       int64
	lastReserved     int64
	usage            recentUsage
	peak             recentUsage
	pending          pendingNeed
	shortage         shortage
}

func (p *pool) isBudget() bool { return p.period != "" }

// setLimit changes the limit. The spare is given up and requested again.
func (p *pool) setLimit(limit int64) {
	if p.limit != limit {
		p.limit, p.held, p.shortage = limit, min(p.held, p.reserved), shortage{}
	}
}

// available returns how much can be reserved.
func (p *pool) available(m mode) int64 {
	switch {
	case p.limit == 0:
		// The limit may have been removed while a request waited.
		return math.MaxInt64
	case m.standalone:
		return subSaturating(subSaturating(p.limit, p.totalSpent()), p.reserved)
	case m.unavailable && !p.isBudget():
		return m.shareOf(p.limit) - p.reserved
	case m.unavailable:
		p.addFallbackShare(m)
	}
	return subSaturating(p.held, p.reserved)
}

// addFallbackShare adds this proxy's share of what was free when the counters
// became unavailable. It does so once per outage.
func (p *pool) addFallbackShare(m mode) {
	if p.hasFallbackShare {
		return
	}
	p.hasFallbackShare = true
	free := subSaturating(p.limit, p.totalSpent())
	if p.hasGrant {
		free = min(free, p.sharedFree)
	}
	p.held = addSaturating(max(p.held, p.reserved), max(0, free)/max(1, m.proxies))
}

// totalSpent returns what all proxies have spent, as far as known.
func (p *pool) totalSpent() int64 {
	if !p.hasGrant {
		return max(p.storedSpent, addSaturating(p.externalSpent, p.ownSpent))
	}
	return max(p.storedSpent, addSaturating(p.sharedSpent, p.ownSpent-p.reportedSpent))
}

// reserve takes n, which must be available.
func (p *pool) reserve(n, now int64) {
	p.reserved = addSaturating(p.reserved, n)
	p.lastReserved = now
	p.usage.addSum(now, n)
	p.peak.raiseMax(now, p.reserved)
}

// settle replaces a reservation by what was spent.
func (p *pool) settle(taken, spent, now int64) {
	p.peak.raiseMax(now, p.reserved)
	p.reserved = max(0, p.reserved-taken)
	p.ownSpent = addSaturating(p.ownSpent, spent)
	p.held = subSaturating(p.held, spent)
}

// baseUpdate returns what the counters should know, without asking for more.
func (p *pool) baseUpdate() HoldUpdate {
	a := HoldUpdate{CounterID: p.CounterID, Period: p.period, Limit: p.limit, Spent: p.ownSpent, StoredSpent: p.storedSpent, Reserved: p.reserved}
	if p.isBudget() {
		a.SpareDivisor, a.HoldTTL, a.CounterTTL = budgetSpareDivisor, budgetHoldTTL, budgetCounterTTL(p.period)
	} else {
		a.SpareDivisor, a.HoldTTL, a.CounterTTL = 1, slotHoldTTL, slotCounterTTL
	}
	return a
}

// offlineReport returns an update for counters that were unavailable. It keeps
// everything that is held.
func (p *pool) offlineReport(number int64) HoldUpdate {
	a := p.baseUpdate()
	a.Sequence, a.Reserved = number, max(p.held, p.reserved)
	return a
}

// isUntouched reports whether the counters never had data of this pool.
func (p *pool) isUntouched() bool { return p.ownSpent == 0 && p.held <= 0 && p.reserved == 0 }

// nextUpdate returns the update to send, and false if there is none. final
// releases the spare.
func (p *pool) nextUpdate(now int64, final bool) (HoldUpdate, bool) {
	a := p.baseUpdate()
	if !final {
		a.Spare = p.desiredSpare(now)
	}
	if p.pending.sum == 0 && !p.needsUpdate(now, a.Spare, final) {
		return a, false
	}
	// Until the response arrives, only what stays held in any case can be
	// reserved.
	if a.Min, a.Need = p.pending.min, p.pending.sum; a.Need > 0 {
		p.held = min(p.held, p.reserved)
	}
	p.held = min(p.held, addSaturating(p.reserved, a.Spare))
	p.pending, p.lastUpdate, p.needsResync = pendingNeed{}, now, false
	return a, true
}

// desiredSpare returns how much to hold in addition to running requests.
func (p *pool) desiredSpare(now int64) int64 {
	if !p.isBudget() {
		grow := min(p.limit/leaseDivisor, p.usage.recent(now))
		return max(0, max(grow, p.peak.recent(now)-p.reserved))
	}
	if now-p.lastReserved >= spareIdleTimeout {
		return 0
	}
	return p.usage.recent(now)
}

// needsUpdate reports whether to send an update although no request waits.
func (p *pool) needsUpdate(now, spare int64, final bool) bool {
	idle := p.held <= 0 && p.reserved == 0
	switch {
	case p.needsResync && (!idle || p.ownSpent > 0), final && (!idle || p.ownSpent != p.reportedSpent):
		return true
	case !idle && now-p.lastUpdate >= int64(p.holdTTL())/3:
		return true
	case !p.isBudget():
		return p.held > addSaturating(p.reserved, spare)
	}
	if extra := subSaturating(p.held, p.reserved); extra > 0 && spare == 0 || extra < spare/2 && !p.shortage.covers(1, now) {
		return true
	}
	return now-p.lastUpdate >= spendReportDelay && (p.ownSpent != p.reportedSpent || p.storedSpent > p.sharedSpent)
}

// markForResync makes the next update complete, because the counters may have
// lost their data.
func (p *pool) markForResync() {
	p.needsResync = !p.isUntouched()
	p.held = min(p.held, p.reserved)
}

func (p *pool) holdTTL() time.Duration {
	if p.isBudget() {
		return budgetHoldTTL
	}
	return slotHoldTTL
}

func (p *pool) applyGrant(a *HoldUpdate, g HoldGrant, now int64) {
	p.reportedSpent, p.sharedSpent, p.sharedFree = a.Spent, g.TotalSpent, g.Free
	p.hasGrant, p.hasFallbackShare = true, false
	if a.Limit != p.limit {
		return
	}
	p.held = subSaturating(g.Held, p.ownSpent-a.Spent)
	p.shortage = shortage{}
	if got := g.Held - a.Reserved; got < a.Need {
		p.shortage = shortage{addSaturating(g.Free, 1), now + window}
	}
}

// isSynced reports whether the counters know everything.
func (p *pool) isSynced() bool {
	return p.held <= 0 && p.reserved == 0 && p.ownSpent == p.reportedSpent && p.pending.sum == 0 && !p.needsResync
}

// budgetCounterTTL is longer than the period, for requests that end after it.
func budgetCounterTTL(period string) time.Duration {
	if len(period) == len("2006-01") {
		return 40 * 24 * time.Hour
	}
	return 3 * 24 * time.Hour
}

package limits

import (
	"math"
	"time"

	"github.com/signalbox/signalbox/pkg/saturate"
)

const (
	slotHoldTTL   = 10 * time.Second
	budgetHoldTTL = 60 * time.Second
	// slotCounterTTL is how long a counter of slots exists after its last update.
	slotCounterTTL = time.Minute
	// spendReportDelay is the delay before spent money is reported to the shared counters.
	spendReportDelay = int64(500 * time.Millisecond)
	// spareIdleTimeout is how long a budget keeps its spare after the last reservation.
	// A spare is an amount that this proxy holds in advance.
	spareIdleTimeout = int64(time.Second)
	// A proxy holds at most 1/budgetSpareDivisor of the free money as a spare.
	budgetSpareDivisor = 100
)

// pool is a concurrency limit, counted in slots, or a budget, counted in nano-USD
// of a period. Requests reserve from the amount that this proxy holds. account.mu
// guards the pool.
type pool struct {
	CounterID
	limit int64
	// period is the UTC period of a budget, such as a day. It is empty for slots.
	period string
	// budgetName is the name of a group budget. It is empty for other limits.
	budgetName string
	// strict means that the budget is hard: see Caller.Strict.
	strict bool
	// resetsAt is when the budget resets. It is zero for a prepaid amount.
	resetsAt time.Time
	// held is the amount that this proxy holds. It includes reserved. Spending reduces
	// held.
	held int64
	// reserved is the part of held that running requests have reserved.
	reserved int64
	// ownSpent is what this proxy has spent.
	ownSpent int64
	// reportedSpent is the part of ownSpent that the shared counters include.
	reportedSpent int64
	// storedSpent is what all proxies have spent according to the stored records.
	storedSpent int64
	// externalSpent is the part of storedSpent that is not in ownSpent. It was
	// spent by other proxies or before the budget was set. The counters include it.
	externalSpent int64
	// sharedSpent and sharedFree are what the counters last reported. sharedSpent
	// includes reportedSpent.
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
	// covered is what waiting requests need of this pool and can have. They wait for other
	// limits. The next update does not give it up.
	covered  pendingNeed
	shortage shortage
}

func (p *pool) isBudget() bool { return p.period != "" }

// setLimit changes the limit. It gives up the spare; the next update requests a
// new one.
func (p *pool) setLimit(limit int64) {
	if p.limit != limit {
		p.limit, p.held, p.shortage = limit, min(p.held, p.reserved), shortage{}
	}
}

// available returns how much can be reserved. If the counters are unavailable, it
// first calls addFallbackShare for a budget. A strict budget then has nothing.
func (p *pool) available(m mode) int64 {
	switch {
	case p.limit == 0:
		// The limit may have been removed while a request waited.
		return math.MaxInt64
	case m.standalone:
		return saturate.Sub(saturate.Sub(p.limit, p.totalSpent()), p.reserved)
	case m.unavailable && p.strict:
		return 0
	case m.unavailable && !p.isBudget():
		return m.shareOf(p.limit) - p.reserved
	case m.unavailable:
		p.addFallbackShare(m)
	}
	return saturate.Sub(p.held, p.reserved)
}

// addFallbackShare adds to held this proxy's share of the amount that was free when
// the counters became unavailable. It does so once per outage.
func (p *pool) addFallbackShare(m mode) {
	if p.hasFallbackShare {
		return
	}
	p.hasFallbackShare = true
	free := saturate.Sub(p.limit, p.totalSpent())
	if p.hasGrant {
		free = min(free, p.sharedFree)
	}
	p.held = saturate.Add(max(p.held, p.reserved), max(0, free)/max(1, m.proxies))
}

// totalSpent returns what all proxies have spent, as far as this proxy can tell.
func (p *pool) totalSpent() int64 {
	if !p.hasGrant {
		return max(p.storedSpent, saturate.Add(p.externalSpent, p.ownSpent))
	}
	return max(p.storedSpent, saturate.Add(p.sharedSpent, p.ownSpent-p.reportedSpent))
}

// reserve reserves n. At least n must be available.
func (p *pool) reserve(n, now int64) {
	p.reserved = saturate.Add(p.reserved, n)
	p.lastReserved = now
	p.usage.addSum(now, n)
	p.peak.raiseMax(now, p.reserved)
}

// settle replaces a reservation (taken) by the amount that was really used (spent).
func (p *pool) settle(taken, spent, now int64) {
	p.peak.raiseMax(now, p.reserved)
	p.reserved = max(0, p.reserved-taken)
	p.ownSpent = saturate.Add(p.ownSpent, spent)
	p.held = saturate.Sub(p.held, spent)
}

// spentAfterCrash returns what this process has spent if it crashed now. Running calls count
// in full against a strict budget. For other budgets, the stored records complete the sum.
func (p *pool) spentAfterCrash() int64 {
	if p.strict {
		return saturate.Add(p.ownSpent, p.reserved)
	}
	return p.ownSpent
}

// baseUpdate returns an update that reports the current amounts and requests nothing.
func (p *pool) baseUpdate() HoldUpdate {
	a := HoldUpdate{CounterID: p.CounterID, Period: p.period, Limit: p.limit, Spent: p.ownSpent, StoredSpent: p.storedSpent, Reserved: p.reserved}
	if p.isBudget() {
		a.SpareDivisor, a.HoldTTL, a.CounterTTL = budgetSpareDivisor, p.holdTTL(), budgetCounterTTL(p.period)
	} else {
		a.SpareDivisor, a.HoldTTL, a.CounterTTL = 1, slotHoldTTL, slotCounterTTL
	}
	return a
}

// offlineReport returns an update for counters that were unavailable. It reports
// everything held as reserved, because reserved amounts are always granted.
func (p *pool) offlineReport(sequence int64) HoldUpdate {
	a := p.baseUpdate()
	a.Sequence, a.Reserved = sequence, max(p.held, p.reserved)
	return a
}

// isUntouched reports whether nothing is spent, held or reserved, so that there is
// nothing to report.
func (p *pool) isUntouched() bool { return p.ownSpent == 0 && p.held <= 0 && p.reserved == 0 }

// nextUpdate returns the update to send, and false if none is needed. If final is
// set, the update gives up the spare.
func (p *pool) nextUpdate(now int64, final bool) (HoldUpdate, bool) {
	a := p.baseUpdate()
	if !final {
		a.Spare = p.desiredSpare(now)
	}
	covered := p.covered
	p.covered = pendingNeed{}
	if p.pending.sum == 0 && !p.needsUpdate(now, saturate.Add(a.Spare, covered.sum), final) {
		return a, false
	}
	all := p.pending.with(covered)
	a.Min, a.Need = all.min, all.sum
	p.held = min(p.held, saturate.Add(p.reserved, p.certainSpare(&a)))
	p.pending, p.lastUpdate, p.needsResync = pendingNeed{}, now, false
	return a, true
}

// certainSpare returns how much of the current spare the counters certainly grant again.
// Until the response arrives, requests can reserve no more than that. For the counters,
// an update first gives up the spare, so at least the current spare is free. They grant
// 1/SpareDivisor of what is free after Need.
func (p *pool) certainSpare(a *HoldUpdate) int64 {
	if a.Need > 0 {
		return 0
	}
	return min(a.Spare, max(0, saturate.Sub(p.held, p.reserved))/a.SpareDivisor)
}

// desiredSpare returns how much to hold beyond what running requests have reserved.
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

// needsUpdate reports whether to send an update although no request waits for this pool.
func (p *pool) needsUpdate(now, spare int64, final bool) bool {
	idle := p.held <= 0 && p.reserved == 0
	switch {
	case p.needsResync && (!idle || p.ownSpent > 0), final && (!idle || p.ownSpent != p.reportedSpent):
		return true
	case !idle && now-p.lastUpdate >= int64(p.refreshInterval()):
		return true
	case !p.isBudget():
		return p.held > saturate.Add(p.reserved, spare)
	}
	if extra := saturate.Sub(p.held, p.reserved); extra > 0 && spare == 0 || extra < spare/2 && !p.shortage.covers(1, now) {
		return true
	}
	return now-p.lastUpdate >= spendReportDelay && (p.ownSpent != p.reportedSpent || p.storedSpent > p.sharedSpent)
}

// markForResync makes the next update report everything, because the counters may
// have lost their data. It also gives up the spare.
func (p *pool) markForResync() {
	p.needsResync = !p.isUntouched()
	p.held = min(p.held, p.reserved)
}

// refreshInterval returns how often a hold is reported although nothing changed.
func (p *pool) refreshInterval() time.Duration { return min(p.holdTTL(), budgetHoldTTL) / 3 }

// holdTTL returns how long a hold lasts after its last update. The hold of a strict budget
// lasts as long as the budget, because a process that was killed may have spent it.
func (p *pool) holdTTL() time.Duration {
	if p.strict {
		return budgetCounterTTL(p.period)
	}
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
	p.held = saturate.Sub(g.Held, p.ownSpent-a.Spent)
	p.shortage = shortage{}
	if got := g.Held - a.Reserved; got < a.Need {
		p.shortage = shortage{saturate.Add(g.Free, 1), now + window}
	}
}

// isSynced reports whether the counters have everything that this pool can report.
func (p *pool) isSynced() bool {
	return p.held <= 0 && p.reserved == 0 && p.ownSpent == p.reportedSpent && p.pending.sum == 0 && !p.needsResync
}

// budgetCounterTTL is longer than the period, because requests may end after the
// period. The counter of a prepaid amount is lost if it is not used for a year. It is then
// rebuilt from the stored records.
func budgetCounterTTL(period string) time.Duration {
	const day = 24 * time.Hour
	switch w, _ := windowOf(period); w {
	case weekWindow:
		return 10 * day
	case monthWindow:
		return 40 * day
	case totalWindow:
		return 366 * day
	}
	return 3 * day
}

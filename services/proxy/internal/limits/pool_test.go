package limits

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func budget(limit int64) *pool { return &pool{period: "2026-11-15", limit: limit} }

// told applies a grant that covers an update completely.
func told(p *pool, a *HoldUpdate, now int64) {
	p.applyGrant(a, HoldGrant{Held: a.Reserved + a.Need + a.Spare, Free: 100, TotalSpent: a.Spent}, now)
}

func TestNothingIsTakenOfAHoldThatTheAnswerMayTakeAway(t *testing.T) {
	p := budget(1000)
	p.held = 50
	p.reserve(10, 0)
	p.pending.add(100)
	a, due := p.nextUpdate(0, false)
	require.True(t, due)
	require.Equal(t, int64(10), a.Reserved)
	require.Equal(t, int64(100), a.Need)
	require.Zero(t, p.available(withOthers), "until the answer is here")
	p.applyGrant(&a, HoldGrant{Held: 10, Free: 20}, 0)
	require.Zero(t, p.available(withOthers))
	require.True(t, p.shortage.covers(21, 0))
	require.False(t, p.shortage.covers(20, 0), "that much is free")
	require.False(t, p.shortage.covers(21, window))

	p = &pool{limit: 100, held: 50}
	a, due = p.nextUpdate(0, false)
	require.True(t, due, "unused places go back")
	require.Zero(t, a.Reserved+a.Spare)
	require.Zero(t, p.available(withOthers))
}

// A large request waits for this pool, and a small one that has enough of it waits for another. The
// counters grant nothing if less than Min is free.
func TestALargeNeedDoesNotCostASmallOneWhatItHas(t *testing.T) {
	p := budget(1000)
	p.held = 30
	p.pending.add(100)
	p.covered.add(30)
	a, due := p.nextUpdate(0, false)
	require.True(t, due)
	require.Equal(t, int64(30), a.Min)
	require.Equal(t, int64(130), a.Need)
}

// The counters grant at most a part of the free money as a spare, so that a proxy may have
// to give up most of its spare although no request waits.
func TestASpareThatTheCountersMayShortenIsNotReserved(t *testing.T) {
	p := budget(100_000)
	p.held = 4000
	p.usage.addSum(0, 10_000)
	a, due := p.nextUpdate(0, false)
	require.True(t, due, "the spare is low")
	require.Zero(t, a.Need)
	require.Equal(t, int64(10_000), a.Spare)
	require.Equal(t, int64(4000/budgetSpareDivisor), p.available(withOthers), "if nothing else is free")

	p = &pool{limit: 100, held: 50}
	p.peak.raiseMax(0, 30)
	a, due = p.nextUpdate(0, false)
	require.True(t, due)
	require.Equal(t, int64(30), a.Spare)
	require.Equal(t, int64(30), p.available(withOthers), "slots are granted again completely")
}

func TestWhatIsSpentWhileTheAnswerIsUnderWayIsTakenOffIt(t *testing.T) {
	p := budget(1000)
	p.held = 100
	p.reserve(100, 0)
	p.pending.add(50)
	a, _ := p.nextUpdate(0, false)
	p.settle(100, 130, 0)
	told(p, &a, 0)
	require.Equal(t, int64(150-130)+a.Spare, p.available(withOthers))
	require.Equal(t, int64(130), p.totalSpent())
	a, due := p.nextUpdate(spendReportDelay, false)
	require.True(t, due)
	require.Equal(t, int64(130), a.Spent)
}

func TestCountersThatForgotAreToldAgain(t *testing.T) {
	p := budget(1000)
	p.held = 100
	p.reserve(100, 0)
	p.settle(100, 80, 0)
	a, _ := p.nextUpdate(2*spareIdleTimeout, false)
	told(p, &a, 2*spareIdleTimeout)
	_, due := p.nextUpdate(2*spareIdleTimeout, false)
	require.False(t, due)
	require.True(t, p.isSynced())
	p.markForResync()
	require.False(t, p.isSynced())
	a, due = p.nextUpdate(2*spareIdleTimeout, false)
	require.True(t, due)
	require.Equal(t, int64(80), a.Spent)
}

func TestTheLedgersSumIsToldToTheCounters(t *testing.T) {
	p := budget(1000)
	p.storedSpent = 300
	a, due := p.nextUpdate(spendReportDelay, false)
	require.True(t, due)
	require.Equal(t, int64(300), a.StoredSpent)
	p.applyGrant(&a, HoldGrant{TotalSpent: 300}, spendReportDelay)
	_, due = p.nextUpdate(2*spendReportDelay, false)
	require.False(t, due)
}

func TestAShareIsLentOnce(t *testing.T) {
	away := mode{unavailable: true, proxies: 4}
	p := budget(1000)
	p.storedSpent = 200
	require.Equal(t, int64(200), p.available(away))
	p.reserve(200, 0)
	p.settle(200, 150, 0)
	require.Equal(t, int64(50), p.available(away))
	p.hasGrant, p.sharedFree, p.hasFallbackShare = true, 40, false
	require.Equal(t, int64(60), p.available(away), "no more than a share of what was seen free")
}

func TestPlacesAreSharedOutWhileTheCountersAreAway(t *testing.T) {
	p := &pool{limit: 10, held: 9}
	require.Equal(t, int64(3), p.available(mode{unavailable: true, proxies: 3}))
	require.Equal(t, int64(1), p.available(mode{unavailable: true, proxies: 30}))
	require.Equal(t, int64(9), p.available(withOthers))
}

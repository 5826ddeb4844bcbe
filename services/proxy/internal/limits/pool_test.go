package limits

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func budget(limit int64) *pool { return &pool{period: "2026-11-15", limit: limit} }

// told answers an ask that got all it wanted.
func told(p *pool, a *HoldAsk, now int64) {
	p.answered(a, HoldGrant{Held: a.Used + a.Need + a.Spare, Free: 100, Spent: a.Settled}, now)
}

func TestNothingIsTakenOfAHoldThatTheAnswerMayTakeAway(t *testing.T) {
	p := budget(1000)
	p.held = 50
	p.take(10, 0)
	p.want.add(100)
	a, due := p.ask(0, false)
	require.True(t, due)
	require.Equal(t, int64(10), a.Used)
	require.Equal(t, int64(100), a.Need)
	require.Zero(t, p.room(withOthers), "until the answer is here")
	p.answered(&a, HoldGrant{Held: 10, Free: 20}, 0)
	require.Zero(t, p.room(withOthers))
	require.True(t, p.short.of(21, 0))
	require.False(t, p.short.of(20, 0), "that much is free")
	require.False(t, p.short.of(21, window))

	p = &pool{limit: 100, held: 50}
	a, due = p.ask(0, false)
	require.True(t, due, "unused places go back")
	require.Zero(t, a.Used+a.Spare)
	require.Zero(t, p.room(withOthers))
}

func TestWhatIsSpentWhileTheAnswerIsUnderWayIsTakenOffIt(t *testing.T) {
	p := budget(1000)
	p.held = 100
	p.take(100, 0)
	p.want.add(50)
	a, _ := p.ask(0, false)
	p.settle(100, 130, 0)
	told(p, &a, 0)
	require.Equal(t, int64(150-130)+a.Spare, p.room(withOthers))
	require.Equal(t, int64(130), p.spending())
	a, due := p.ask(tellAfter, false)
	require.True(t, due)
	require.Equal(t, int64(130), a.Settled)
}

func TestCountersThatForgotAreToldAgain(t *testing.T) {
	p := budget(1000)
	p.held = 100
	p.take(100, 0)
	p.settle(100, 80, 0)
	a, _ := p.ask(2*idleAfter, false)
	told(p, &a, 2*idleAfter)
	_, due := p.ask(2*idleAfter, false)
	require.False(t, due)
	require.True(t, p.rests())
	p.again()
	require.False(t, p.rests())
	a, due = p.ask(2*idleAfter, false)
	require.True(t, due)
	require.Equal(t, int64(80), a.Settled)
}

func TestTheLedgersSumIsToldToTheCounters(t *testing.T) {
	p := budget(1000)
	p.stored = 300
	a, due := p.ask(tellAfter, false)
	require.True(t, due)
	require.Equal(t, int64(300), a.Stored)
	p.answered(&a, HoldGrant{Spent: 300}, tellAfter)
	_, due = p.ask(2*tellAfter, false)
	require.False(t, due)
}

func TestAShareIsLentOnce(t *testing.T) {
	away := mode{away: true, n: 4}
	p := budget(1000)
	p.stored = 200
	require.Equal(t, int64(200), p.room(away))
	p.take(200, 0)
	p.settle(200, 150, 0)
	require.Equal(t, int64(50), p.room(away))
	p.heard, p.free, p.lent = true, 40, false
	require.Equal(t, int64(60), p.room(away), "no more than a share of what was seen free")
}

func TestPlacesAreSharedOutWhileTheCountersAreAway(t *testing.T) {
	p := &pool{limit: 10, held: 9}
	require.Equal(t, int64(3), p.room(mode{away: true, n: 3}))
	require.Equal(t, int64(1), p.room(mode{away: true, n: 30}))
	require.Equal(t, int64(9), p.room(withOthers))
}

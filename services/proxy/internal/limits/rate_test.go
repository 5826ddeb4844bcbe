package limits

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// withOthers is the mode in which the counters are available.
var withOthers = mode{proxies: 2}

func TestALeaseGoesBackAfterASecond(t *testing.T) {
	r := rate{limit: 100}
	ask := RateUpdate{Limit: 100, Max: 5}
	r.applyGrant(&ask, RateGrant{Units: 5, Used: 3 * time.Second}, 0)
	r.take(1, 0, withOthers)
	_, due := r.nextUpdate(maxLeaseAge-1, withOthers, false)
	require.False(t, due)
	a, due := r.nextUpdate(maxLeaseAge, withOthers, false)
	require.True(t, due)
	require.Equal(t, int64(4), a.Returned)
	require.Equal(t, 2*time.Second, a.LastUsed)
	require.Zero(t, r.lease)
	require.True(t, r.isSynced())
}

func TestALeaseIsAsLargeAsRecentUseAndNoMoreThanATwentieth(t *testing.T) {
	for used, want := range map[int64]int64{1: 1, 30: 30, 500: 50} {
		r := rate{limit: 1000, lease: used}
		r.take(used, 0, withOthers)
		r.pending.add(1)
		a, due := r.nextUpdate(window/2, withOthers, false)
		require.True(t, due)
		require.Equal(t, want, a.Max)
		require.Equal(t, int64(1), a.Min)
	}
}

func TestWhatReturnsBeyondALeaseGoesBackAtOnce(t *testing.T) {
	r := rate{limit: 1000, lease: 900}
	r.take(900, 0, withOthers)
	r.settle(900, 100, 0, 0, withOthers)
	require.Equal(t, int64(800), r.lease)
	a, due := r.nextUpdate(1, withOthers, false)
	require.True(t, due)
	require.Equal(t, int64(750), a.Returned)
}

func TestDebtsAreToldUntilAnAnswerComes(t *testing.T) {
	r := rate{limit: 1000}
	r.settle(0, 30, 0, 0, withOthers)
	a, due := r.nextUpdate(0, withOthers, false)
	require.True(t, due)
	require.Equal(t, int64(30), a.Debit)
	r.undoUpdate(&a)
	a, _ = r.nextUpdate(0, withOthers, false)
	require.Equal(t, int64(30), a.Debit)
	r.applyGrant(&a, RateGrant{}, 0)
	_, due = r.nextUpdate(0, withOthers, false)
	require.False(t, due)
}

func TestAnAnswerForAnotherLimitLeasesNothing(t *testing.T) {
	r := rate{limit: 1000}
	r.pending.add(10)
	a, _ := r.nextUpdate(0, withOthers, false)
	r.setLimit(10)
	r.applyGrant(&a, RateGrant{Units: 10, Used: time.Second}, 0)
	require.Zero(t, r.lease)
}

func TestABigRequestPassesASmallShare(t *testing.T) {
	away := mode{unavailable: true, proxies: 4}
	r := rate{limit: 100}
	require.True(t, r.canTake(80, 0, away), "the limit allows it")
	require.False(t, r.canTake(101, 0, away))
	r.take(80, 0, away)
	require.False(t, r.canTake(1, 0, away))
	require.Equal(t, time.Duration(r.local.usedTime(0)), r.waitFor(80, 0, away))
}

func TestWhatWasUsedInAnOutageIsOwedAsFarAsTimeHasNotBroughtItBack(t *testing.T) {
	r := rate{limit: 120}
	away := mode{unavailable: true, proxies: 2}
	for now := int64(0); now < 10*minute; now += int64(time.Second) / 2 {
		if r.canTake(1, now, away) {
			r.take(1, now, away)
		}
	}
	a, due := r.nextUpdate(10*minute, withOthers, false)
	require.True(t, due)
	require.LessOrEqual(t, a.Debit, int64(60), "no more than a share")
	_, due = r.nextUpdate(11*minute, withOthers, false)
	require.False(t, due)
}

func TestALimitThatIsGoneRefusesNobody(t *testing.T) {
	r, p := rate{limit: 1}, pool{limit: 1}
	r.setLimit(0)
	p.setLimit(0)
	require.True(t, r.canTake(5, 0, withOthers))
	r.take(5, 0, withOthers)
	require.True(t, r.isSynced(), "and nothing is owed")
	require.Positive(t, p.available(withOthers))
}

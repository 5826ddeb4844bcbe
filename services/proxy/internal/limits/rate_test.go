package limits

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// withOthers is the mode in which the counters answer.
var withOthers = mode{n: 2}

func TestALeaseGoesBackAfterASecond(t *testing.T) {
	r := rate{limit: 100}
	ask := RateAsk{Limit: 100, Want: 5}
	r.answered(&ask, RateGrant{Units: 5, Used: 3 * time.Second}, 0)
	r.take(1, 0, withOthers)
	_, due := r.ask(leaseAge-1, withOthers, false)
	require.False(t, due)
	a, due := r.ask(leaseAge, withOthers, false)
	require.True(t, due)
	require.Equal(t, int64(4), a.Back)
	require.Equal(t, 2*time.Second, a.Seen)
	require.Zero(t, r.lease)
	require.True(t, r.rests())
}

func TestALeaseIsAsLargeAsRecentUseAndNoMoreThanATwentieth(t *testing.T) {
	for used, want := range map[int64]int64{1: 1, 30: 30, 500: 50} {
		r := rate{limit: 1000, lease: used}
		r.take(used, 0, withOthers)
		r.want.add(1)
		a, due := r.ask(window/2, withOthers, false)
		require.True(t, due)
		require.Equal(t, want, a.Want)
		require.Equal(t, int64(1), a.Least)
	}
}

func TestWhatReturnsBeyondALeaseGoesBackAtOnce(t *testing.T) {
	r := rate{limit: 1000, lease: 900}
	r.take(900, 0, withOthers)
	r.settle(900, 100, 0, 0, withOthers)
	require.Equal(t, int64(800), r.lease)
	a, due := r.ask(1, withOthers, false)
	require.True(t, due)
	require.Equal(t, int64(750), a.Back)
}

func TestDebtsAreToldUntilAnAnswerComes(t *testing.T) {
	r := rate{limit: 1000}
	r.settle(0, 30, 0, 0, withOthers)
	a, due := r.ask(0, withOthers, false)
	require.True(t, due)
	require.Equal(t, int64(30), a.Debit)
	r.failed(&a)
	a, _ = r.ask(0, withOthers, false)
	require.Equal(t, int64(30), a.Debit)
	r.answered(&a, RateGrant{}, 0)
	_, due = r.ask(0, withOthers, false)
	require.False(t, due)
}

func TestAnAnswerForAnotherLimitLeasesNothing(t *testing.T) {
	r := rate{limit: 1000}
	r.want.add(10)
	a, _ := r.ask(0, withOthers, false)
	r.set(10)
	r.answered(&a, RateGrant{Units: 10, Used: time.Second}, 0)
	require.Zero(t, r.lease)
}

func TestABigRequestPassesASmallShare(t *testing.T) {
	away := mode{away: true, n: 4}
	r := rate{limit: 100}
	require.True(t, r.fits(80, 0, away), "the limit allows it")
	require.False(t, r.fits(101, 0, away))
	r.take(80, 0, away)
	require.False(t, r.fits(1, 0, away))
	require.Equal(t, time.Duration(r.own.used(0)), r.wait(80, 0, away))
}

func TestWhatWasUsedInAnOutageIsOwedAsFarAsTimeHasNotBroughtItBack(t *testing.T) {
	r := rate{limit: 120}
	away := mode{away: true, n: 2}
	for now := int64(0); now < 10*minute; now += int64(time.Second) / 2 {
		if r.fits(1, now, away) {
			r.take(1, now, away)
		}
	}
	a, due := r.ask(10*minute, withOthers, false)
	require.True(t, due)
	require.LessOrEqual(t, a.Debit, int64(60), "no more than a share")
	_, due = r.ask(11*minute, withOthers, false)
	require.False(t, due)
}

func TestALimitThatIsGoneRefusesNobody(t *testing.T) {
	r, p := rate{limit: 1}, pool{limit: 1}
	r.set(0)
	p.set(0)
	require.True(t, r.fits(5, 0, withOthers))
	r.take(5, 0, withOthers)
	require.True(t, r.rests(), "and nothing is owed")
	require.Positive(t, p.room(withOthers))
}

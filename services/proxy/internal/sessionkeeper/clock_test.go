package sessionkeeper

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/services/proxy/internal/session"
)

// handClock is a clock that a test sets.
type handClock struct {
	wall    time.Time
	elapsed time.Duration
}

func (c *handClock) read() (time.Time, time.Duration) { return c.wall, c.elapsed }

func (c *handClock) advance(d time.Duration) { c.wall, c.elapsed = c.wall.Add(d), c.elapsed+d }

func (c *handClock) step(d time.Duration) { c.wall = c.wall.Add(d) }

func newHandClock() *handClock {
	return &handClock{wall: time.Date(2026, 11, 16, 9, 0, 0, 0, time.UTC), elapsed: time.Hour}
}

func TestTheSteadyClockNeverGoesBack(t *testing.T) {
	hand := newHandClock()
	c, start := newSteadyClock(hand.read), hand.wall
	is := func(since, ahead time.Duration) {
		t.Helper()
		now, gotAhead := c.now()
		require.Equal(t, since, now.Sub(start))
		require.Equal(t, ahead, gotAhead)
	}
	is(0, 0)
	hand.advance(time.Minute)
	is(time.Minute, 0)
	hand.step(-10 * time.Minute)
	is(time.Minute, 10*time.Minute)
	hand.advance(time.Minute)
	is(2*time.Minute, 10*time.Minute)
	hand.step(10 * time.Minute)
	is(2*time.Minute, 0)
	hand.step(8 * time.Hour) // a laptop was suspended
	is(8*time.Hour+2*time.Minute, 0)
	hand.step(-time.Minute)
	is(8*time.Hour+2*time.Minute, time.Minute)
	hand.step(-time.Millisecond) // below the precision
	is(8*time.Hour+2*time.Minute-time.Millisecond, time.Minute)
}

// When the wall clock is set back, a session expires on time, its caches do too, and the pause
// since its last turn is as long as it was.
func TestAClockThatIsSetBack(t *testing.T) {
	hand, key := newHandClock(), session.KeyOf("a", "s")
	k := New(t.Context(), Deps{Log: quiet, Clock: hand.read})
	k.Remember("a", key, turn("m"), false)
	hand.advance(2 * time.Minute)
	hand.step(-30 * time.Minute)

	q := k.Get(key).Question(hand.wall)
	require.Equal(t, int64(120), hand.wall.Unix()-q.LastAt, "the pause")
	require.Equal(t, int64(180), q.Cached[0].Expires-hand.wall.Unix(), "the rest of the cache's lifetime")
	hand.advance(3 * time.Minute)
	require.Empty(t, k.Get(key).Question(hand.wall).Cached)

	k.Remember("a", key, turn("m"), false)
	hand.advance(59 * time.Minute)
	require.NotNil(t, k.Get(key))
	hand.advance(time.Minute)
	require.Nil(t, k.Get(key))
	hand.step(-3 * time.Hour)
	require.Nil(t, k.Get(key), "an expired session stays expired")
}

// A file has the times of the wall clock. If that is set back between two processes, a session
// lives at most as long as if its last turn had just ended.
func TestAFileOfAFutureClock(t *testing.T) {
	hand, file, key := newHandClock(), &tray{saved: map[string]Saved{}}, session.KeyOf("a", "s")
	save := func() {
		k := New(t.Context(), Deps{File: file, Log: quiet, Clock: hand.read})
		hand.step(-10 * time.Minute) // while the process runs
		k.Remember("a", key, turn("m"), false)
		k.run(t)()
	}
	save()
	hand.advance(59 * time.Minute)
	load := func() *Keeper { return New(t.Context(), Deps{File: file, Log: quiet, Clock: hand.read}) }
	require.NotNil(t, load().Get(key))
	hand.advance(time.Minute)
	require.Nil(t, load().Get(key))

	save()
	hand.step(-1000 * time.Hour)
	k := load()
	require.Equal(t, hand.wall.UnixMilli(), k.Get(key).LastAt)
	hand.advance(time.Hour)
	require.Nil(t, k.Get(key))
}

// The breaker of the reads does not depend on the wall clock.
func TestTheGuardIgnoresTheWallClock(t *testing.T) {
	hand := newHandClock()
	k := New(t.Context(), Deps{Shared: &shelf{}, Log: quiet, Clock: hand.read})
	for range maxFailures {
		k.guard.record(false, k.clock.elapsed())
	}
	require.Nil(t, k.StartLoad("a", session.Key{}))
	hand.step(-time.Hour)
	hand.advance(guardPause)
	k.StartLoad("a", session.Key{}).Wait(t.Context())
	require.NotNil(t, k.StartLoad("a", session.Key{}))
}

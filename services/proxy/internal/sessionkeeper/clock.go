package sessionkeeper

import (
	"sync/atomic"
	"time"
)

// stepUnit is the precision of the steps of the wall clock. The two clocks are not read at the
// same moment, so smaller steps mean nothing.
const stepUnit = time.Second

// Clock returns the wall clock, and the time since the process started by a clock that
// cannot be set.
type Clock func() (wall time.Time, elapsed time.Duration)

// systemClock returns the clock of the operating system.
func systemClock() Clock {
	started := time.Now()
	return func() (time.Time, time.Duration) {
		now := time.Now()
		return now.Round(0), now.Sub(started)
	}
}

// steadyClock is a wall clock that never goes backwards. When the wall clock is set back,
// the steady clock goes on, so that no state gets younger. It follows a wall clock that is set
// forward, because that is also how a machine looks that was suspended.
type steadyClock struct {
	read    Clock
	started time.Time
	// ahead is the largest difference between the wall clock and the elapsed time since the
	// start.
	ahead atomic.Int64
}

func newSteadyClock(read Clock) *steadyClock {
	if read == nil {
		read = systemClock()
	}
	wall, elapsed := read()
	return &steadyClock{read: read, started: wall.Add(-elapsed)}
}

// now returns the time, and how far it is ahead of the wall clock.
func (c *steadyClock) now() (now time.Time, ahead time.Duration) {
	wall, elapsed := c.read()
	step := wall.Sub(c.started.Add(elapsed)).Round(stepUnit)
	for {
		most := c.ahead.Load()
		if int64(step) <= most {
			ahead = time.Duration(most) - step
			return wall.Add(ahead), ahead
		}
		c.ahead.CompareAndSwap(most, int64(step))
	}
}

// elapsed returns the time since the process started.
func (c *steadyClock) elapsed() time.Duration {
	_, elapsed := c.read()
	return elapsed
}

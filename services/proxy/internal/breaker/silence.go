package breaker

import (
	"time"

	"github.com/signalbox/signalbox/pkg/policy"
)

const (
	// minSilence is the shortest time without data that counts as silence.
	minSilence = 2 * time.Second
	// silenceFactor is the minimum ratio of the time without data to the candidate's usual
	// delay.
	silenceFactor = 4
	// usualDecay sets how fast the usual delay decreases: by 1/usualDecay per
	// response.
	usualDecay = 16
)

// silence detects a candidate that accepts calls but no longer responds, long before the
// timeouts of the calls expire. Without it, waiting requests would pile up until then.
type silence struct {
	// pending is the number of calls since the last response. The first of them
	// began at pendingSince.
	pending      int64
	pendingSince time.Time
	// usual is roughly the longest recent delay until the first data, or 0 if unknown.
	usual time.Duration
}

func (q *silence) recordCall(now time.Time) {
	if q.pending == 0 {
		q.pendingSince = now
	}
	q.pending++
}

// recordResponse records that data arrived. after is the delay until the first data, or 0
// if the delay should not count.
func (q *silence) recordResponse(after time.Duration) {
	q.pending = 0
	if after > 0 {
		q.usual = max(after, q.usual-q.usual/usualDecay)
	}
}

// isSilent reports whether the candidate has stopped responding.
func (q *silence) isSilent(now time.Time, settings policy.Breaker) bool {
	return q.usual > 0 && q.pending >= settings.MinRequests && now.Sub(q.pendingSince) >= max(minSilence, silenceFactor*q.usual)
}

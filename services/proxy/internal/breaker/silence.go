package breaker

import (
	"time"

	"github.com/signalbox/signalbox/pkg/policy"
)

const (
	// minSilence is the shortest time without data that counts as silence. It
	// must also be silenceFactor times longer than the candidate's usual delay.
	minSilence    = 2 * time.Second
	silenceFactor = 4
	// usualDecay sets how fast the usual delay decreases: by 1/16 per response.
	usualDecay = 16
)

// silence detects a candidate that accepts calls and never responds, long before
// the timeouts of the calls expire. Otherwise many requests would wait by then.
type silence struct {
	// pending is the number of calls since the last response. The first of them
	// began at pendingSince.
	pending      int64
	pendingSince time.Time
	// usual is about the longest delay until the first data; 0 if unknown.
	usual time.Duration
}

func (q *silence) recordCall(now time.Time) {
	if q.pending == 0 {
		q.pendingSince = now
	}
	q.pending++
}

// recordResponse notes that data arrived after a delay; 0 if the delay says nothing.
func (q *silence) recordResponse(after time.Duration) {
	q.pending = 0
	if after > 0 {
		q.usual = max(after, q.usual-q.usual/usualDecay)
	}
}

// isSilent reports whether the candidate has stopped responding.
func (q *silence) isSilent(now time.Time, set policy.Breaker) bool {
	return q.usual > 0 && q.pending >= set.MinRequests && now.Sub(q.pendingSince) >= max(minSilence, silenceFactor*q.usual)
}

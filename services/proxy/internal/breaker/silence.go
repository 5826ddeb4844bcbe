package breaker

import (
	"time"

	"github.com/signalbox/signalbox/pkg/policy"
)

const (
	// shortSilence is never taken for an end, and a silence is one only when
	// it is so many times longer than a target's usual.
	shortSilence = 2 * time.Second
	longSilence  = 4
	// usualDecay is how slowly a slow answer is forgotten.
	usualDecay = 16
)

// silence notices a target that takes calls and says nothing, long before their
// time is over: with patience for each, very many would be waiting by then.
type silence struct {
	// begun calls wait, the first of them since then, and since the last sign
	// of life.
	begun int64
	since time.Time
	// usual is about the longest that a sign of life takes; 0 if not known.
	usual time.Duration
}

func (q *silence) begin(now time.Time) {
	if q.begun == 0 {
		q.since = now
	}
	q.begun++
}

// heard is a sign of life, after so long; 0 when that says nothing.
func (q *silence) heard(after time.Duration) {
	q.begun = 0
	if after > 0 {
		q.usual = max(after, q.usual-q.usual/usualDecay)
	}
}

// fell tells whether the target fell silent.
func (q *silence) fell(now time.Time, set policy.Breaker) bool {
	return q.usual > 0 && q.begun >= set.MinRequests && now.Sub(q.since) >= max(shortSilence, longSilence*q.usual)
}

package engine

import (
	"cmp"
	"time"

	"github.com/signalbox/signalbox/pkg/decide"
)

// healthAt implements decide.Health for one decision. It reads the live health of
// the candidates. All its calls use the same time and the same drains.
type healthAt struct {
	health *health
	drains *Drains
	now    time.Time
}

// DownReason returns why a candidate is down or drained. It returns an empty string for a
// healthy candidate.
func (a *healthAt) DownReason(candidate decide.Candidate) string {
	if a.drains.Includes(candidate) {
		return decide.Drained
	}
	a.health.mu.Lock()
	defer a.health.mu.Unlock()
	return a.health.candidates[candidate].downReasonAt(a.now)
}

// Latency returns the expected time to the first token in microseconds, 0 if unknown.
func (a *healthAt) Latency(candidate decide.Candidate) int64 {
	a.health.mu.Lock()
	defer a.health.mu.Unlock()
	return a.health.candidates[candidate].expectedLatencyAt(a.now)
}

func (c *candidateHealth) downReasonAt(now time.Time) string {
	if c == nil || !now.Before(c.downUntil) {
		return ""
	}
	return c.downReason
}

// expectedLatencyAt returns the time to the first token. A candidate that served no stream
// recently is compared by its complete responses, rather than not at all.
func (c *candidateHealth) expectedLatencyAt(now time.Time) int64 {
	if c == nil {
		return 0
	}
	return cmp.Or(c.firstToken.at(now), c.complete.at(now))
}

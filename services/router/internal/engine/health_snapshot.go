package engine

import (
	"time"

	"github.com/signalbox/signalbox/pkg/decide"
)

// healthSnapshot gives one decision access to the live health of all candidates. All its
// calls use the same time.
type healthSnapshot struct {
	health *health
	now    time.Time
}

// DownReason returns why a candidate is down. It returns an empty string if the
// candidate is not down.
func (m *healthSnapshot) DownReason(candidate decide.Candidate) string {
	m.health.mu.Lock()
	defer m.health.mu.Unlock()
	return m.health.candidates[candidate].downReasonAt(m.now)
}

// Latency returns the expected time to the first token in microseconds. It returns 0 if none is known.
func (m *healthSnapshot) Latency(candidate decide.Candidate) int64 {
	m.health.mu.Lock()
	defer m.health.mu.Unlock()
	return m.health.candidates[candidate].expectedLatencyAt(m.now)
}

func (c *candidateHealth) downReasonAt(now time.Time) string {
	if c == nil || !now.Before(c.downUntil) {
		return ""
	}
	return c.downReason
}

func (c *candidateHealth) expectedLatencyAt(now time.Time) int64 {
	if c == nil || now.Sub(c.measuredAt) > latencyMaxAge {
		return 0
	}
	return c.latency
}

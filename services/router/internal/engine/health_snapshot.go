package engine

import (
	"time"

	"github.com/signalbox/signalbox/pkg/decide"
)

// healthSnapshot is the health at one time, for one decision.
type healthSnapshot struct {
	health *health
	now    time.Time
}

// DownReason returns why a candidate is down, empty if it is not.
func (m *healthSnapshot) DownReason(t decide.Candidate) string {
	m.health.mu.Lock()
	defer m.health.mu.Unlock()
	return m.health.candidates[t].downReasonAt(m.now)
}

// Latency returns the expected time to the first token.
func (m *healthSnapshot) Latency(t decide.Candidate) int64 {
	m.health.mu.Lock()
	defer m.health.mu.Unlock()
	return m.health.candidates[t].expectedLatencyAt(m.now)
}

func (y *candidateHealth) downReasonAt(now time.Time) string {
	if y == nil || !now.Before(y.downUntil) {
		return ""
	}
	return y.downReason
}

func (y *candidateHealth) expectedLatencyAt(now time.Time) int64 {
	if y == nil || now.Sub(y.measuredAt) > latencyMaxAge {
		return 0
	}
	return y.latency
}

package engine

import (
	"time"

	"github.com/signalbox/signalbox/pkg/decide"
)

// moment is the health of a moment, for a decision.
type moment struct {
	health *health
	now    time.Time
}

// Down is why a target is down.
func (m *moment) Down(t decide.Target) string {
	m.health.mu.Lock()
	defer m.health.mu.Unlock()
	return m.health.targets[t].downAt(m.now)
}

// Latency is the expected one.
func (m *moment) Latency(t decide.Target) int64 {
	m.health.mu.Lock()
	defer m.health.mu.Unlock()
	return m.health.targets[t].latencyAt(m.now)
}

func (y *tally) downAt(now time.Time) string {
	if y == nil || !now.Before(y.down) {
		return ""
	}
	return y.why
}

func (y *tally) latencyAt(now time.Time) int64 {
	if y == nil || now.Sub(y.measured) > stale {
		return 0
	}
	return y.latency
}

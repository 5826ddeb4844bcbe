package limits

import (
	"time"

	"github.com/signalbox/signalbox/pkg/saturate"
)

// mode describes which counters apply now.
type mode struct {
	// standalone means that this process is the only proxy.
	standalone bool
	// unavailable means that the shared counters do not respond, and that each
	// proxy uses its share of a limit.
	unavailable bool
	proxies     int64
}

// shareOf returns this proxy's part of a limit while it counts locally.
func (m mode) shareOf(limit int64) int64 {
	if m.standalone || m.proxies < 2 {
		return limit
	}
	return max(1, limit/m.proxies)
}

// window is the period, in nanoseconds, over which use is measured. It is also the
// longest time for which a reported shortage is assumed to last.
const window = int64(100 * time.Millisecond)

// recentUsage measures the use in the current and the previous window. It measures a
// sum if addSum is called, and a maximum if raiseMax is called.
type recentUsage struct{ windowStart, current, previous int64 }

func (p *recentUsage) addSum(at, n int64) {
	p.rotate(at)
	p.current = saturate.Add(p.current, n)
}

func (p *recentUsage) raiseMax(at, n int64) {
	p.rotate(at)
	p.current = max(p.current, n)
}

// recent returns the larger value of the current and the previous window.
func (p *recentUsage) recent(at int64) int64 {
	p.rotate(at)
	return max(p.current, p.previous)
}

func (p *recentUsage) rotate(at int64) {
	switch age := at - p.windowStart; {
	case age < window:
		return
	case age < 2*window:
		p.previous = p.current
	default:
		p.previous = 0
	}
	p.windowStart, p.current = at, 0
}

// pendingNeed is what waiting requests need of a limit: the sum, and the smallest need
// of a single request.
type pendingNeed struct{ sum, min int64 }

func (w *pendingNeed) add(n int64) {
	if w.sum == 0 || n < w.min {
		w.min = n
	}
	w.sum = saturate.Add(w.sum, n)
}

// with returns the needs of both.
func (w pendingNeed) with(other pendingNeed) pendingNeed {
	switch {
	case w.sum == 0:
		return other
	case other.sum == 0:
		return w
	}
	return pendingNeed{saturate.Add(w.sum, other.sum), min(w.min, other.min)}
}

// shortage means that the shared counters cannot grant the amount, or more, before a certain
// instant.
type shortage struct{ amount, until int64 }

// covers reports whether a grant of n is known to be impossible.
func (s shortage) covers(n, now int64) bool { return now < s.until && n >= s.amount }

package breaker

import (
	"time"

	"github.com/signalbox/signalbox/pkg/decide"
)

// Kind describes a call.
type Kind struct {
	// Stream means that the response arrives in parts.
	Stream bool
	// Retry means that the request has already made another call.
	Retry bool
}

// Call is the permission to make one call. The caller must call End.
type Call struct {
	Kind
	set       *Set
	candidate decide.Candidate
	// load is the provider's load. It stays valid while the call is in progress.
	load      *providerLoad
	startedAt time.Time
	// generation is the state's generation when the call began. If the state has a
	// newer generation when the call ends, the verdict is ignored.
	generation uint64
	probe      bool
	// forced means that the breaker was open and admitted no probe.
	forced bool
}

// MarkAlive records that the first data of a stream arrived.
func (c Call) MarkAlive() {
	if c.set == nil {
		return
	}
	c.set.mu.Lock()
	defer c.set.mu.Unlock()
	st := c.set.stateOf(c.candidate)
	st.silenceOf(c.Kind).recordResponse(time.Since(c.startedAt))
	if c.generation == st.generation {
		st.forcing.failureStreak = 0
	}
}

// End records how the call went. retryAfter is the delay that the provider requests,
// or 0.
func (c Call) End(v Verdict, retryAfter time.Duration) {
	if c.set == nil {
		return
	}
	s := c.set
	s.mu.Lock()
	defer s.mu.Unlock()
	c.load.removeCall(c.Retry)
	st, now := s.stateOf(c.candidate), time.Now()
	st.recordActivity(c, v, now)
	if v == Unreachable && !s.isNetworkUp(c.candidate.Provider, now) {
		v = Inconclusive
	}
	if v == Failed || v == TimedOut || v == Unreachable {
		st.failureDebt.recordFailure(s.settings)
	}
	if c.forced {
		st.forcing.pending--
	}
	if st.generation != c.generation {
		return
	}
	st.forcing.recordVerdict(v, c.forced, now)
	if c.probe {
		st.activeProbes--
	}
	st.recordVerdict(now, v, retryAfter, c.probe, s.settings)
}

// isNetworkUp reports whether a call to a provider other than the given one succeeded
// recently. If so, the proxy's own network works, and the failure is the provider's.
func (s *Set) isNetworkUp(except string, now time.Time) bool {
	for t, st := range s.states {
		if t.Provider != except && !st.lastSuccess.IsZero() && now.Sub(st.lastSuccess) < s.settings.Window {
			return true
		}
	}
	return false
}

package breaker

import (
	"time"

	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/pkg/policy"
)

// forcePause is the interval between forced calls to a candidate that is known to be down. It limits
// the load on the provider, and how late its recovery is noticed.
const forcePause = 500 * time.Millisecond

// forcing limits the forced calls to a candidate that is known to be down, because MinRequests calls
// in a row failed. Calls that found the provider up but not the model do not count as failures, so
// that the mistakes of one caller do not affect others.
type forcing struct {
	failureStreak int64
	// next is when the next forced call is admitted, if the candidate is known to be down.
	next time.Time
	// pending is the number of forced calls in progress, and pendingSince is when the first of
	// them began.
	pending      int
	pendingSince time.Time
}

// allowsCall reports whether a forced call is admitted. A forced call that has not failed within
// forcePause is a sign of life: the candidate may be up again and respond slowly.
func (f *forcing) allowsCall(now time.Time, settings policy.Breaker) bool {
	slow := f.pending > 0 && now.Sub(f.pendingSince) >= forcePause
	return f.failureStreak < settings.MinRequests || slow || !now.Before(f.next)
}

func (f *forcing) startCall(now time.Time) {
	if f.pending == 0 {
		f.pendingSince = now
	}
	f.pending++
	f.next = now.Add(forcePause)
}

// recordVerdict counts a failure. Any other response shows that the provider is up.
func (f *forcing) recordVerdict(v Verdict, forced bool, now time.Time) {
	switch v {
	case Inconclusive:
	case Failed, TimedOut, Unreachable:
		if f.failureStreak++; forced {
			f.next = now.Add(forcePause)
		}
	default:
		f.failureStreak = 0
	}
}

// Force requests permission for a call even if the breaker is open or the candidate
// is degraded. Only the retry budget can reject it.
func (s *Set) Force(t decide.Candidate, k Kind) (Call, Admission) {
	if s == nil {
		return Call{}, Admitted
	}
	t = t.Endpoint()
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.startCall(t, s.stateOf(t), k)
}

// ForceSparingly is like Force, but if the candidate is known to be down, it admits only one call per
// forcePause. Otherwise the result is Unavailable, and until is when the next call is admitted.
func (s *Set) ForceSparingly(t decide.Candidate, k Kind) (c Call, a Admission, until time.Time) {
	if s == nil {
		return Call{}, Admitted, time.Time{}
	}
	t = t.Endpoint()
	s.mu.Lock()
	defer s.mu.Unlock()
	st, now := s.stateOf(t), time.Now()
	if st.admitsCall(now) {
		c, a = s.startCall(t, st, k)
		return c, a, time.Time{}
	}
	if !st.forcing.allowsCall(now, s.settings) {
		return Call{}, Unavailable, st.forcing.next
	}
	c, a = s.startCall(t, st, k)
	if c.forced = a == Admitted; c.forced {
		st.forcing.startCall(now)
	}
	return c, a, time.Time{}
}

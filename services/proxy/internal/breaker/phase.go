package breaker

import (
	"cmp"
	"slices"
	"time"

	"github.com/signalbox/signalbox/pkg/decide"
)

// Phase is the phase of a breaker: closed, open or half open.
type Phase string

// The phases.
const (
	Closed   Phase = "closed"
	Open     Phase = "open"
	HalfOpen Phase = "half_open"
)

// Status is the state of one breaker.
type Status struct {
	Candidate decide.Candidate
	Phase     Phase
	// RateLimited means that the breaker is open because of a rate limit.
	RateLimited bool
	// Until is when an open breaker becomes half open. It is zero if the breaker is closed.
	Until time.Time
}

// IsAvailable reports whether the breaker would admit a call now. It considers neither the
// retry budget nor whether the candidate is degraded.
func (s *Set) IsAvailable(t decide.Candidate) bool {
	if s == nil {
		return true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	st, ok := s.states[t.Endpoint()]
	return !ok || st.admitsCall(time.Now())
}

// IsHealthy reports whether the candidate's breaker is closed and at most a tenth of its
// recent calls failed. A candidate without calls counts as healthy.
func (s *Set) IsHealthy(t decide.Candidate) bool {
	if s == nil {
		return true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	st, ok := s.states[t.Endpoint()]
	return !ok || st.isHealthy(time.Now(), s.settings)
}

// Statuses returns the states of all existing breakers, sorted by model and provider.
func (s *Set) Statuses() []Status {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	all := make([]Status, 0, len(s.states))
	for t, st := range s.states {
		all = append(all, Status{Candidate: t, Phase: st.phase(now), RateLimited: st.rateLimited, Until: st.until})
	}
	slices.SortFunc(all, func(a, b Status) int {
		return cmp.Or(cmp.Compare(a.Candidate.Model, b.Candidate.Model), cmp.Compare(a.Candidate.Provider, b.Candidate.Provider))
	})
	return all
}

func (st *state) phase(now time.Time) Phase {
	switch {
	case st.isClosed():
		return Closed
	case now.Before(st.until):
		return Open
	}
	return HalfOpen
}

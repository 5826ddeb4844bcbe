package breaker

import (
	"cmp"
	"slices"
	"time"

	"github.com/signalbox/signalbox/pkg/decide"
)

// Phase is what a breaker does, in the words that operators know.
type Phase string

// The phases.
const (
	Closed   Phase = "closed"
	Open     Phase = "open"
	HalfOpen Phase = "half_open"
)

// Status is the state of one target.
type Status struct {
	Target decide.Target
	Phase  Phase
	// Resting is whether it is open because its provider limits its callers.
	Resting bool
	// Until is when an open one half opens.
	Until time.Time
}

// Usable tells whether a call would be admitted now.
func (s *Set) Usable(t decide.Target) bool {
	if s == nil {
		return true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	st, ok := s.targets[t]
	return !ok || st.admits(time.Now())
}

// Sound tells whether next to nothing of a target fails, as far as is known.
func (s *Set) Sound(t decide.Target) bool {
	if s == nil {
		return true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	st, ok := s.targets[t]
	return !ok || st.sound(time.Now(), s.settings)
}

// States are those of all targets that were called, in their order.
func (s *Set) States() []Status {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	all := make([]Status, 0, len(s.targets))
	for t, st := range s.targets {
		all = append(all, Status{Target: t, Phase: st.phase(now), Resting: st.resting, Until: st.until})
	}
	slices.SortFunc(all, func(a, b Status) int {
		return cmp.Or(cmp.Compare(a.Target.Model, b.Target.Model), cmp.Compare(a.Target.Provider, b.Target.Provider))
	})
	return all
}

func (st *state) phase(now time.Time) Phase {
	switch {
	case st.inUse():
		return Closed
	case now.Before(st.until):
		return Open
	}
	return HalfOpen
}

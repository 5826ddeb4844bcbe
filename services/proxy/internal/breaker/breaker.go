// Package breaker remembers how calls of each target go and takes one that
// keeps failing out of use for a while: by the share of failures in a window,
// by failures in a row, and, for a provider that limits its callers, for as
// long as it asks. One that fails too seldom for that is spared, and it bounds
// how many retries a provider is given at once.
// A target that is out of use is refused, not forbidden: whoever has no other
// may insist. Each proxy has one Set for all its requests; it makes no call.
package breaker

import (
	"sync"
	"time"

	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/pkg/policy"
)

// Verdict is what the end of a call says about its target.
type Verdict uint8

// The verdicts.
const (
	// Nothing is a request that failed by itself, or whose client left.
	Nothing Verdict = iota
	Good
	Failed
	// Silent is a failure without a sign of life.
	Silent
	// Unreached is a connection that was not made. It may be our own network
	// that is to blame, and is as long as no other provider is reached.
	Unreached
	// Limited is a provider that is asked too often.
	Limited
	// Absent is a target that does not serve, or not what one request names: it
	// counts only in a row, so that one caller's mistakes harm nobody.
	Absent
)

// Answer is what a question for a call is answered with.
type Answer uint8

// The answers.
const (
	Admitted Answer = iota
	// OutOfUse is a target whose breaker is open.
	OutOfUse
	// OverBudget is a provider that has as many retries as it may.
	OverBudget
	// Strained is a target in use that fails more often than retries should be
	// needed. Whoever has a sound one asks that first; others insist.
	Strained
)

// Set has the breakers of all targets. It is safe for concurrent use. A nil Set
// admits everything and remembers nothing.
type Set struct {
	mu       sync.Mutex
	settings policy.Breaker
	targets  map[decide.Target]*state
	loads    map[string]*load
}

// NewSet makes a set that has seen nothing.
func NewSet() *Set {
	return &Set{settings: policy.DefaultBreaker(), targets: map[decide.Target]*state{}, loads: map[string]*load{}}
}

// Adopt takes the settings of a policy and forgets the targets that it does not
// have.
func (s *Set) Adopt(p *policy.Policy) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.settings = p.Defaults.Breaker
	for t := range s.targets {
		if !has(p, t) {
			delete(s.targets, t)
		}
	}
	for name, l := range s.loads {
		if _, ok := p.Provider(name); !ok && l.active == 0 {
			delete(s.loads, name)
		}
	}
}

func has(p *policy.Policy, t decide.Target) bool {
	m, ok := p.Model(t.Model)
	if !ok {
		return false
	}
	_, ok = m.At(t.Provider)
	return ok
}

// Ask asks for a call. Where the answer is OutOfUse, until is when it will be
// another.
func (s *Set) Ask(t decide.Target, k Kind) (c Call, a Answer, until time.Time) {
	if s == nil {
		return Call{}, Admitted, time.Time{}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	st, now := s.state(t), time.Now()
	if !k.Retry {
		st.strain.wanted()
	}
	if st.inUse() && st.quiet(k).fell(now, s.settings) {
		st.takeOut(now, st.next(now), s.settings)
	}
	if !st.admits(now) {
		return Call{}, OutOfUse, st.until
	}
	if !k.Retry && st.strained(now, s.settings) {
		return Call{}, Strained, time.Time{}
	}
	c, a = s.enter(t, st, k)
	return c, a, time.Time{}
}

// Insist asks for a call of a target that is out of use or strained, when there
// is no other. Only the budget of retries can stand against it.
func (s *Set) Insist(t decide.Target, k Kind) (Call, Answer) {
	if s == nil {
		return Call{}, Admitted
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.enter(t, s.state(t), k)
}

func (s *Set) enter(t decide.Target, st *state, k Kind) (Call, Answer) {
	now := time.Now()
	l := s.load(t.Provider)
	if k.Retry && !st.sound(now, s.settings) && !l.allows() {
		return Call{}, OverBudget
	}
	c := Call{Kind: k, set: s, target: t, load: l, began: now, turn: st.turn, probe: !st.inUse() && st.admits(now)}
	if c.probe {
		st.probing++
	}
	st.quiet(k).begin(now)
	l.enter(k.Retry)
	return c, Admitted
}

func (s *Set) state(t decide.Target) *state {
	st, ok := s.targets[t]
	if !ok {
		st = &state{}
		s.targets[t] = st
	}
	return st
}

func (s *Set) load(provider string) *load {
	l, ok := s.loads[provider]
	if !ok {
		l = &load{}
		s.loads[provider] = l
	}
	return l
}

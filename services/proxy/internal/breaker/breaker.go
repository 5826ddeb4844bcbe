// Package breaker decides whether a candidate may be called. It records how the
// calls of each candidate end. A breaker opens for one of four reasons: too many
// failures in a time window, several failures in a row, calls without a response,
// or a rate limit or another Retry-After of the provider. After a while, a few probe
// calls decide whether it closes again. After a rate limit, one good call is enough:
//
//	closed ──failures──▶ open ──time over──▶ half open ──3 good calls──▶ closed
//	                      ▲                      │
//	                      └────────failure───────┘
//
// A candidate that fails often, but not often enough to open its breaker, is
// degraded, and callers prefer a healthy one. The package also limits concurrent
// retries per provider. An open breaker is only advice: if there is no other
// candidate, ForceSparingly admits the call anyway. Only if many calls in a row
// failed, it admits few. Each proxy has one Set. The package
// makes no calls itself; package dispatch uses it. docs/design/health.md explains how
// breakers and the router's health work together.
package breaker

import (
	"slices"
	"sync"
	"time"

	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/pkg/policy"
)

// Verdict is what the result of a call means for the candidate's health.
type Verdict uint8

// The verdicts.
const (
	// Inconclusive means that the call shows nothing about the candidate, for example
	// because the request was invalid or the client disconnected.
	Inconclusive Verdict = iota
	Good
	Failed
	// TimedOut means that the response did not arrive in time.
	TimedOut
	// Unreachable means that no connection was made. It counts only if a call to another
	// provider succeeded recently. Otherwise the proxy's own network may be down.
	Unreachable
	// RateLimited means that the provider limits the rate of calls.
	RateLimited
	// NotServed means that the provider does not serve the model, or does not serve
	// something that the request names. It counts as one of several failures in a row, but
	// not in the failure rate, so that the mistakes of one caller do not affect others.
	NotServed
)

// Admission is the result of Admit and Force.
type Admission uint8

// The admissions. Only Admitted allows the call.
const (
	Admitted Admission = iota
	// Unavailable means that the breaker is open, or half open with all probes in use.
	Unavailable
	// RetryBudgetSpent means that the provider has too many retries in progress.
	RetryBudgetSpent
	// Degraded means that the breaker is closed, but the candidate fails often. The
	// caller should call a healthy candidate. If there is none, it should use Force.
	Degraded
)

// Set holds the breakers of all candidates. It is safe for concurrent use. A nil
// Set admits every call and records nothing.
type Set struct {
	mu       sync.Mutex
	settings policy.Breaker
	states   map[decide.Candidate]*state
	loads    map[string]*providerLoad
}

// NewSet returns a set without any history.
func NewSet() *Set {
	return &Set{settings: policy.DefaultBreaker(), states: map[decide.Candidate]*state{}, loads: map[string]*providerLoad{}}
}

// ApplyPolicy applies the settings of the first policy. It drops the breakers of candidates
// that no policy has.
func (s *Set) ApplyPolicy(all ...*policy.Policy) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.settings = all[0].Defaults.Breaker
	for t := range s.states {
		if !slices.ContainsFunc(all, func(p *policy.Policy) bool { return isInPolicy(p, t) }) {
			delete(s.states, t)
		}
	}
	for name, l := range s.loads {
		if !slices.ContainsFunc(all, func(p *policy.Policy) bool { return hasProvider(p, name) }) && l.active == 0 {
			delete(s.loads, name)
		}
	}
}

func hasProvider(p *policy.Policy, name string) bool {
	_, ok := p.Provider(name)
	return ok
}

func isInPolicy(p *policy.Policy, t decide.Candidate) bool {
	m, ok := p.Model(t.Model)
	if !ok {
		return false
	}
	_, ok = m.EndpointAt(t.Provider)
	return ok
}

// Admit requests permission for a call. If the result is Unavailable, until is the
// time at which the breaker becomes half open. It is in the past if the breaker is half
// open and all probes are in use.
func (s *Set) Admit(t decide.Candidate, k Kind) (c Call, a Admission, until time.Time) {
	if s == nil {
		return Call{}, Admitted, time.Time{}
	}
	t = t.Endpoint()
	s.mu.Lock()
	defer s.mu.Unlock()
	st, now := s.stateOf(t), time.Now()
	if !k.Retry {
		st.failureDebt.recordRequest()
	}
	if st.isClosed() && st.silenceOf(k).isSilent(now, s.settings) {
		st.openAfterFailures(now, st.nextReopened(now), s.settings)
	}
	if !st.admitsCall(now) {
		return Call{}, Unavailable, st.until
	}
	if !k.Retry && st.isDegraded(now, s.settings) {
		return Call{}, Degraded, time.Time{}
	}
	c, a = s.startCall(t, st, k)
	return c, a, time.Time{}
}

func (s *Set) startCall(t decide.Candidate, st *state, k Kind) (Call, Admission) {
	now := time.Now()
	l := s.loadOf(t.Provider)
	if k.Retry && !st.isHealthy(now, s.settings) && !l.allowsRetry() {
		return Call{}, RetryBudgetSpent
	}
	c := Call{Kind: k, set: s, candidate: t, load: l, startedAt: now, generation: st.generation, probe: !st.isClosed() && st.admitsCall(now)}
	if c.probe {
		st.activeProbes++
	}
	st.silenceOf(k).recordCall(now)
	l.addCall(k.Retry)
	return c, Admitted
}

func (s *Set) stateOf(t decide.Candidate) *state {
	st, ok := s.states[t]
	if !ok {
		st = &state{}
		s.states[t] = st
	}
	return st
}

func (s *Set) loadOf(provider string) *providerLoad {
	l, ok := s.loads[provider]
	if !ok {
		l = &providerLoad{}
		s.loads[provider] = l
	}
	return l
}

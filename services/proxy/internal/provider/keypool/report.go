package keypool

import "time"

// Result is the result of a call with regard to its key. Values above Accepted mean
// that the key cannot be used for the model at the moment.
type Result int

const (
	// Inconclusive means that the call failed for a reason unrelated to the key. The
	// upstream failed or was too slow, or the client cancelled the request.
	Inconclusive Result = iota
	// Accepted means that the upstream accepted the key. It responded, or rejected the
	// request itself.
	Accepted
	// RateLimited means that the key is rate-limited. The key pauses for the model.
	RateLimited
	// ModelDenied means that the key may not use the model. The key is suspended for
	// the model.
	ModelDenied
	// Rejected means that the upstream does not accept the key. The key is suspended
	// for all models.
	Rejected
)

// ReportResult records the result of a call. delay is the pause that the upstream
// requested with RateLimited, or 0 if it requested none. A successful call does not
// remove a hold that was set after the call started.
func (p *Pool) ReportResult(sel Selection, result Result, delay time.Duration) {
	if result <= Accepted && p.holdCount.Load() == 0 {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	s, now := &p.states[sel.KeyIndex], time.Now()
	before := len(s.holds)
	s.endProbes(sel)
	switch result {
	case Inconclusive:
	case Accepted:
		s.clearHolds(sel)
	case RateLimited:
		s.pause(sel.Model, delay, now)
	case ModelDenied:
		s.suspend(sel.Model, sel.StartedAt, now)
	case Rejected:
		s.suspend("", sel.StartedAt, now)
	}
	p.holdCount.Add(int64(len(s.holds) - before))
}

// TimeUntilAvailable returns the time until the first key that is not in tried can be used
// for the model. It also reports whether all these keys are suspended. If suspended is
// false, at least one of them is only rate-limited.
func (p *Pool) TimeUntilAvailable(model string, tried KeySet) (soonest time.Duration, suspended bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	soonest, suspended = maxSuspension, true
	for i := range p.states {
		if tried.contains(i) {
			continue
		}
		wait, keySuspended := p.states[i].timeUntilAvailable(model, now)
		soonest, suspended = min(soonest, wait), suspended && keySuspended
	}
	return soonest, suspended
}

func (s *keyState) timeUntilAvailable(model string, now time.Time) (wait time.Duration, suspended bool) {
	for _, scope := range holdScopes(model) {
		if h, ok := s.holds[scope]; ok {
			wait, suspended = max(wait, h.until.Sub(now)), suspended || h.isSuspension()
		}
	}
	return wait, suspended
}

// Suspended reports which keys are suspended for all models, in the order of the pool.
// A key stays suspended until the upstream accepts it again.
func (p *Pool) Suspended() []bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	all := make([]bool, len(p.states))
	for i, s := range p.states {
		all[i] = s.holds[""].isSuspension()
	}
	return all
}

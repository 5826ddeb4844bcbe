package keypool

import "time"

// Result is what a call says about its key. Values above Accepted mean that the
// key cannot be used for the model at the moment.
type Result int

const (
	// Inconclusive is a failure unrelated to the key: the upstream failed or was
	// too slow, or the client cancelled the request.
	Inconclusive Result = iota
	// Accepted is a response, or a rejection of the request itself.
	Accepted
	// RateLimited pauses the key for the model.
	RateLimited
	// ModelDenied means that the key may not use the model. It is suspended for it.
	ModelDenied
	// Rejected means that the upstream does not accept the key. It is suspended.
	Rejected
)

// ReportResult records the result of a call. delay is the pause that the upstream
// requested with RateLimited; 0 means none. A successful call does not clear a
// hold that was placed after the call started.
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

// TimeUntilAvailable returns the time until the first key may serve the model, and
// whether all keys are suspended rather than rate-limited.
func (p *Pool) TimeUntilAvailable(model string) (soonest time.Duration, suspended bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	soonest, suspended = maxSuspension, true
	for i := range p.states {
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

// Suspended reports for every key, in the order of the pool, whether the upstream
// rejected it for all models and it has not served a call since.
func (p *Pool) Suspended() []bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	all := make([]bool, len(p.states))
	for i, s := range p.states {
		all[i] = s.holds[""].isSuspension()
	}
	return all
}

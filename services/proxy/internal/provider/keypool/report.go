package keypool

import "time"

// Verdict is what a call says about its key.
type Verdict int

const (
	// Silent is a failure that says nothing about the key: the upstream broke
	// or was too slow, or the client left.
	Silent Verdict = iota
	// Good is an answer, or a refusal of the request itself.
	Good
	// Limited is a limit of requests: the key rests for that model.
	Limited
	// Barred is a refusal of the key for that model: it is parked for it.
	Barred
	// Refused is a refusal of the key: it is parked.
	Refused
)

// Report tells how a call went. Delay is the upstream's, for Limited. A call
// that began before its key was refused or limited says nothing good of it.
func (p *Pool) Report(u Use, v Verdict, delay time.Duration) {
	if v <= Good && p.held.Load() == 0 {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	s, now := &p.states[u.Key], time.Now()
	before := len(s.holds)
	s.judged(u)
	switch v {
	case Silent:
	case Good:
		s.forgive(u)
	case Limited:
		s.rest(u.Model, delay, now)
	case Barred:
		s.park(u.Model, u.Began, now)
	case Refused:
		s.park("", u.Began, now)
	}
	p.held.Add(int64(len(s.holds) - before))
}

// Wait is how long it takes until the first key may serve the model, and
// whether all of them are parked rather than limited.
func (p *Pool) Wait(model string) (soonest time.Duration, parked bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	soonest, parked = maxPark, true
	for i := range p.states {
		wait, refused := p.states[i].wait(model, now)
		soonest, parked = min(soonest, wait), parked && refused
	}
	return soonest, parked
}

func (s *state) wait(model string, now time.Time) (wait time.Duration, parked bool) {
	for _, scope := range scopes(model) {
		if h, ok := s.holds[scope]; ok {
			wait, parked = max(wait, h.until.Sub(now)), parked || h.parked()
		}
	}
	return wait, parked
}

// Parked tells of every key, in the pool's order, whether the upstream refused
// it, and not for one model alone, and it has not served since.
func (p *Pool) Parked() []bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	all := make([]bool, len(p.states))
	for i, s := range p.states {
		all[i] = s.holds[""].parked()
	}
	return all
}

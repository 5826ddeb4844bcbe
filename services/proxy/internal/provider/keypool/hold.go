package keypool

import "time"

const (
	// minPark is the first time out of a refused key, which doubles with every
	// refusal after it up to maxPark: bills are paid and keys are unlocked by
	// people.
	minPark = time.Minute
	maxPark = time.Hour
	// usualRest is for a limit without a delay; maxRest bounds what an
	// upstream may ask for: it must not switch a provider off for a day.
	usualRest = time.Second
	maxRest   = 5 * time.Minute
)

// hold keeps a key from being used, for one model or, under the empty name,
// for all.
type hold struct {
	until time.Time
	// strikes counts the refusals in a row; 0 is a limit, which ends by
	// itself.
	strikes int
	// probing is set while one call finds out whether a refusal still stands.
	probing bool
}

func (h hold) parked() bool { return h.strikes > 0 }

// scopes are the holds that concern a call about a model.
func scopes(model string) [2]string { return [2]string{"", model} }

func (s *state) free(model string, now time.Time) bool {
	for _, scope := range scopes(model) {
		if h, ok := s.holds[scope]; ok && (h.probing || now.Before(h.until)) {
			return false
		}
	}
	return true
}

// probe marks the refusals whose time is over: until this call is reported, no
// other one is made to see whether they still stand.
func (s *state) probe(model string) {
	for _, scope := range scopes(model) {
		if h, ok := s.holds[scope]; ok && h.parked() {
			h.probing = true
			s.holds[scope] = h
		}
	}
}

// judged ends a probe that told nothing.
func (s *state) judged(model string) {
	for _, scope := range scopes(model) {
		if h, ok := s.holds[scope]; ok && h.probing {
			h.probing = false
			s.holds[scope] = h
		}
	}
}

// park puts the key out of use. Calls that were under way together are one
// refusal.
func (s *state) park(scope string, now time.Time) {
	h := s.holds[scope]
	if h.parked() && !h.probing && now.Before(h.until) {
		return
	}
	wait := min(minPark<<min(h.strikes, 16), maxPark)
	s.set(scope, hold{until: now.Add(wait), strikes: h.strikes + 1})
}

// rest lets the key wait, but never cuts a refusal short.
func (s *state) rest(scope string, delay time.Duration, now time.Time) {
	if h := s.holds[scope]; h.parked() {
		return
	}
	if delay <= 0 {
		delay = usualRest
	}
	s.set(scope, hold{until: now.Add(min(delay, maxRest))})
}

func (s *state) set(scope string, h hold) {
	if s.holds == nil {
		s.holds = map[string]hold{}
	}
	s.holds[scope] = h
}

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
	// since is when it was last told: calls that began before are not asked
	// about it.
	since time.Time
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
func (s *state) judged(u Use) {
	for _, scope := range scopes(u.Model) {
		if h, ok := s.holds[scope]; ok && h.probing && !u.Began.Before(h.since) {
			h.probing = false
			s.holds[scope] = h
		}
	}
}

// forgive ends the holds, but not those that the call was under way before.
func (s *state) forgive(u Use) {
	for _, scope := range scopes(u.Model) {
		if h, ok := s.holds[scope]; ok && !u.Began.Before(h.since) {
			delete(s.holds, scope)
		}
	}
}

// park puts the key out of use. Calls that were under way together are one
// refusal.
func (s *state) park(scope string, began, now time.Time) {
	h := s.holds[scope]
	if h.parked() && (began.Before(h.since) || now.Before(h.until)) {
		return
	}
	wait := min(minPark<<min(h.strikes, 16), maxPark)
	s.set(scope, hold{until: now.Add(wait), since: now, strikes: h.strikes + 1})
}

// rest lets the key wait, but never cuts a refusal or a longer rest short.
func (s *state) rest(scope string, delay time.Duration, now time.Time) {
	h := s.holds[scope]
	if h.parked() {
		return
	}
	if delay <= 0 {
		delay = usualRest
	}
	until := now.Add(min(delay, maxRest))
	if until.Before(h.until) {
		until = h.until
	}
	s.set(scope, hold{until: until, since: now})
}

func (s *state) set(scope string, h hold) {
	if s.holds == nil {
		s.holds = map[string]hold{}
	}
	s.holds[scope] = h
}

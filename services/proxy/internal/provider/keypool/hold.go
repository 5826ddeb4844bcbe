package keypool

import "time"

const (
	// minSuspension is the length of the suspension after the first rejection. Each
	// further rejection doubles it, up to maxSuspension. These times are long because
	// people have to fix the cause, such as an unpaid bill.
	minSuspension = time.Minute
	maxSuspension = time.Hour
	// defaultPause applies if the upstream rate-limits a key and requests no delay.
	// maxPause limits the delay that an upstream can request, so that the upstream
	// cannot disable a provider for hours.
	defaultPause = time.Second
	maxPause     = 5 * time.Minute
)

// hold stops the use of a key for one model, or for all models. It is a suspension
// after a rejection, or a pause after a rate limit. The map keyState.holds has one hold
// per scope. A scope is a model name, or "" for all models.
type hold struct {
	until time.Time
	// reportedAt is the time of the last rejection or rate limit that set this hold. A
	// success of a call that started earlier does not remove the hold. A rejection of
	// such a call does not extend a suspension.
	reportedAt time.Time
	// rejections counts consecutive rejections. It is 0 for a pause.
	rejections int
	// probing is set while one call tests whether the key is still rejected.
	probing bool
}

func (h hold) isSuspension() bool { return h.rejections > 0 }

// holdScopes returns the scopes of the holds that apply to a call: all models, and the
// model of the call.
func holdScopes(model string) [2]string { return [2]string{"", model} }

func (s *keyState) isAvailable(model string, now time.Time) bool {
	for _, scope := range holdScopes(model) {
		if h, ok := s.holds[scope]; ok && (h.probing || now.Before(h.until)) {
			return false
		}
	}
	return true
}

// startProbes starts a probe for each expired suspension of the selected key. Until the
// result of the probe is reported, no other call uses the key in the same scope.
func (s *keyState) startProbes(model string) {
	for _, scope := range holdScopes(model) {
		if h, ok := s.holds[scope]; ok && h.isSuspension() {
			h.probing = true
			s.holds[scope] = h
		}
	}
}

// endProbes ends the probes that the call started, if any.
func (s *keyState) endProbes(sel Selection) {
	for _, scope := range holdScopes(sel.Model) {
		if h, ok := s.holds[scope]; ok && h.probing && !sel.StartedAt.Before(h.reportedAt) {
			h.probing = false
			s.holds[scope] = h
		}
	}
}

// clearHolds removes the holds that apply to the call and were set before it started.
func (s *keyState) clearHolds(sel Selection) {
	for _, scope := range holdScopes(sel.Model) {
		if h, ok := s.holds[scope]; ok && !sel.StartedAt.Before(h.reportedAt) {
			delete(s.holds, scope)
		}
	}
}

// suspend stops the use of the key after a rejection. Rejections of concurrent
// calls count as one.
func (s *keyState) suspend(scope string, began, now time.Time) {
	h := s.holds[scope]
	if h.isSuspension() && (began.Before(h.reportedAt) || now.Before(h.until)) {
		return
	}
	wait := min(minSuspension<<min(h.rejections, 16), maxSuspension)
	s.setHold(scope, hold{until: now.Add(wait), reportedAt: now, rejections: h.rejections + 1})
}

// pause stops the use of the key after a rate limit. It never shortens a suspension
// or a longer pause.
func (s *keyState) pause(scope string, delay time.Duration, now time.Time) {
	h := s.holds[scope]
	if h.isSuspension() {
		return
	}
	if delay <= 0 {
		delay = defaultPause
	}
	until := now.Add(min(delay, maxPause))
	if until.Before(h.until) {
		until = h.until
	}
	s.setHold(scope, hold{until: until, reportedAt: now})
}

func (s *keyState) setHold(scope string, h hold) {
	if s.holds == nil {
		s.holds = map[string]hold{}
	}
	s.holds[scope] = h
}

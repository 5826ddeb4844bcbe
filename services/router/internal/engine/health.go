package engine

import (
	"fmt"
	"sync"
	"time"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/pkg/policy"
)

const (
	// statusWindow is the period of the counts that Status returns.
	statusWindow = 5 * time.Minute
	// latencySmoothing is the weight of the old expected latency against a new
	// measurement. latencyMaxAge is the age at which the expectation is dropped.
	latencySmoothing = 8
	latencyMaxAge    = 10 * time.Minute
)

// Outcome is the result of one attempt.
type Outcome struct {
	Candidate decide.Candidate
	// Code is empty on success.
	Code apperr.Code
	// FirstToken is the time to the first token, 0 if there was none.
	FirstToken time.Duration
}

// CandidateStatus is the health of one candidate over the last minutes.
type CandidateStatus struct {
	Candidate decide.Candidate
	Succeeded int64
	Failed    int64
	// LastCode and LastFailure are empty if nothing has failed yet.
	LastCode    apperr.Code
	LastFailure time.Time
	// Down is why decisions exclude the candidate, empty if they do not. Latency
	// is the expected time to the first token in microseconds.
	Down    string
	Latency int64
}

// hasData reports whether anything is known about the candidate.
func (s CandidateStatus) hasData() bool { return s.Succeeded+s.Failed > 0 || s.LastCode != "" }

// health holds what all proxies have reported about the candidates of the active
// policy. Other candidates are ignored, so that reports cannot exhaust the memory.
// A candidate that fails everywhere is down before each proxy has noticed it. The
// proxies try whether it has recovered.
type health struct {
	mu         sync.Mutex
	breaker    policy.Breaker
	candidates map[decide.Candidate]*candidateHealth
}

type candidateHealth struct {
	// minutes is for Status, recent for decisions.
	minutes, recent window
	lastCode        apperr.Code
	lastFailure     time.Time
	// downUntil is until when the candidate is down, downReason the reason.
	downUntil  time.Time
	downReason string
	// latency is in microseconds, as of measuredAt.
	latency    int64
	measuredAt time.Time
}

func newHealth() *health { return &health{candidates: map[decide.Candidate]*candidateHealth{}} }

// setCandidates drops candidates that are gone and adds new ones.
func (h *health) setCandidates(candidates []decide.Candidate, breaker policy.Breaker) {
	h.mu.Lock()
	defer h.mu.Unlock()
	current := make(map[decide.Candidate]*candidateHealth, len(candidates))
	for _, c := range candidates {
		current[c] = h.candidates[c]
		if current[c] == nil {
			current[c] = &candidateHealth{}
		}
	}
	h.candidates, h.breaker = current, breaker
}

func (h *health) addOutcome(o Outcome) {
	h.mu.Lock()
	defer h.mu.Unlock()
	y, ok := h.candidates[o.Candidate]
	if !ok || !concernsCandidate(o.Code) {
		return
	}
	now := time.Now()
	y.minutes.add(now, statusWindow, o.Code != "")
	if o.Code != "" {
		y.lastCode, y.lastFailure = o.Code, now
	}
	if o.Code == "" || countsForBreaker(o.Code) {
		y.recent.add(now, h.breaker.Window, o.Code != "")
		y.updateBreaker(now, o.Code != "", h.breaker)
	}
	if o.Code == "" && o.FirstToken > 0 {
		y.updateLatency(now, o.FirstToken.Microseconds())
	}
}

// updateBreaker marks the candidate as down while too many attempts fail.
func (y *candidateHealth) updateBreaker(now time.Time, failed bool, breaker policy.Breaker) {
	good, bad := y.recent.sum(now, breaker.Window)
	switch {
	case !breaker.Trips(bad, good+bad):
		y.downUntil = time.Time{}
	case failed:
		y.downUntil = now.Add(breaker.OpenDuration)
		y.downReason = fmt.Sprintf("%d of %d attempts of all proxies failed in the last %s", bad, good+bad, breaker.Window)
	}
}

func (y *candidateHealth) updateLatency(now time.Time, us int64) {
	if y.latency == 0 || now.Sub(y.measuredAt) > latencyMaxAge {
		y.latency = us
	} else {
		y.latency += (us - y.latency) / latencySmoothing
	}
	y.measuredAt = now
}

// concernsCandidate reports whether an outcome says anything about the candidate. A
// request that was rejected for its content, or whose client left, does not.
func concernsCandidate(code apperr.Code) bool {
	switch policy.FailureForCode(code) {
	case "":
		return code == ""
	case policy.FailContextLength:
		return false
	}
	return code != apperr.Internal && code != apperr.UnsupportedParameter
}

// countsForBreaker reports whether a failure can mark a candidate as down. A rate
// limit is for each proxy to wait out, and a missing model may be a caller's mistake.
func countsForBreaker(code apperr.Code) bool {
	f := policy.FailureForCode(code)
	return concernsCandidate(code) && f != policy.FailRateLimit && f != policy.FailModelUnavailable
}

func (h *health) status(t decide.Candidate) CandidateStatus {
	h.mu.Lock()
	defer h.mu.Unlock()
	s := CandidateStatus{Candidate: t}
	y, ok := h.candidates[t]
	if !ok {
		return s
	}
	now := time.Now()
	s.Succeeded, s.Failed = y.minutes.sum(now, statusWindow)
	s.LastCode, s.LastFailure = y.lastCode, y.lastFailure
	s.Down, s.Latency = y.downReasonAt(now), y.expectedLatencyAt(now)
	return s
}

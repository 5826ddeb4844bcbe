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
	// latencySmoothing is the inverse weight of a new measurement in the expected
	// latency: a new measurement counts 1/8.
	latencySmoothing = 8
	// latencyMaxAge is how long the expected latency is used after the last measurement.
	latencyMaxAge = 10 * time.Minute
)

// Outcome is the result of one attempt.
type Outcome struct {
	Candidate decide.Candidate
	// Code is empty on success.
	Code apperr.Code
	// FirstToken is the time to the first token of a stream, 0 for other responses.
	FirstToken time.Duration
	// Duration is the time to the end of the response.
	Duration time.Duration
}

// CandidateStatus is the health of one candidate. The counts cover the last five
// minutes.
type CandidateStatus struct {
	Candidate decide.Candidate
	Succeeded int64
	Failed    int64
	// LastCode and LastFailure describe the last failure. They are empty if no attempt
	// has failed yet.
	LastCode    apperr.Code
	LastFailure time.Time
	// DownReason says why decisions exclude the candidate. It is empty if the candidate
	// is healthy.
	DownReason string
	// Latency is the expected time to the first token in microseconds, 0 if unknown. If no
	// recent response was streamed, it is the time to the complete response.
	Latency int64
	// FirstToken is the average time to the first token of recent streams in microseconds,
	// 0 if there was none.
	FirstToken int64
}

// hasData reports whether a proxy has ever reported a failure of the candidate, or a
// success in the last five minutes.
func (s CandidateStatus) hasData() bool { return s.Succeeded+s.Failed > 0 || s.LastCode != "" }

// health holds what all proxies have reported about the candidates of the active
// policy. It ignores reports about other candidates, so that they cannot exhaust the
// memory. It adds up the failures of all proxies. A failing candidate is therefore
// marked as down before each proxy has counted enough failures itself. The proxies
// test whether the candidate has recovered. docs/design/health.md explains how this
// health and the proxies' breakers work together.
type health struct {
	mu         sync.Mutex
	breaker    policy.Breaker
	candidates map[decide.Candidate]*candidateHealth
}

type candidateHealth struct {
	// statusCounts is for Status. breakerCounts is for marking the candidate as down.
	statusCounts, breakerCounts window
	lastCode                    apperr.Code
	lastFailure                 time.Time
	// The candidate is down until downUntil, because of downReason.
	downUntil  time.Time
	downReason string
	// firstToken measures streams, complete all other responses.
	firstToken, complete movingAverage
}

// movingAverage is the average of recent times in microseconds. It was last updated at
// measuredAt.
type movingAverage struct {
	us         int64
	measuredAt time.Time
}

func newHealth() *health { return &health{candidates: map[decide.Candidate]*candidateHealth{}} }

// setCandidates drops candidates that are no longer in the policy and adds new ones.
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
	c, ok := h.candidates[o.Candidate.Endpoint()]
	if !ok || !concernsCandidate(o.Code) {
		return
	}
	now := time.Now()
	c.statusCounts.add(now, statusWindow, o.Code != "")
	if o.Code != "" {
		c.lastCode, c.lastFailure = o.Code, now
	}
	if o.Code == "" || countsForBreaker(o.Code) {
		c.breakerCounts.add(now, h.breaker.Window, o.Code != "")
		c.updateBreaker(now, o.Code != "", h.breaker)
	}
	switch {
	case o.Code != "":
	case o.FirstToken > 0:
		c.firstToken.add(now, o.FirstToken.Microseconds())
	case o.Duration > 0:
		c.complete.add(now, o.Duration.Microseconds())
	}
}

// updateBreaker marks the candidate as down after a failure if too many attempts fail. It
// marks the candidate as healthy when fewer attempts fail.
func (c *candidateHealth) updateBreaker(now time.Time, isFailure bool, breaker policy.Breaker) {
	succeeded, failed := c.breakerCounts.sum(now, breaker.Window)
	switch {
	case !breaker.Trips(failed, succeeded+failed):
		c.downUntil = time.Time{}
	case isFailure:
		c.downUntil = now.Add(breaker.OpenDuration)
		c.downReason = fmt.Sprintf("%d of %d attempts of all proxies failed in the last %s", failed, succeeded+failed, breaker.Window)
	}
}

func (a *movingAverage) add(now time.Time, us int64) {
	if a.at(now) == 0 {
		a.us = us
	} else {
		a.us += (us - a.us) / latencySmoothing
	}
	a.measuredAt = now
}

// at returns the average, 0 if the last measurement is too old.
func (a *movingAverage) at(now time.Time) int64 {
	if now.Sub(a.measuredAt) > latencyMaxAge {
		return 0
	}
	return a.us
}

// concernsCandidate reports whether an outcome counts for the health of the candidate.
// Failures that the candidate did not cause do not count. Examples are a request that is
// too long, a client that disconnected, and an internal error of the proxy.
func concernsCandidate(code apperr.Code) bool {
	switch policy.FailureForCode(code) {
	case "":
		return code == ""
	case policy.FailContextLength:
		return false
	}
	return code != apperr.Internal && code != apperr.UnsupportedParameter
}

// countsForBreaker reports whether a failure can mark a candidate as down. Rate limits
// do not count, because each proxy pauses its own calls after a rate limit. Missing
// models do not count, because a client may have requested a wrong model.
func countsForBreaker(code apperr.Code) bool {
	f := policy.FailureForCode(code)
	return concernsCandidate(code) && f != policy.FailRateLimit && f != policy.FailModelUnavailable
}

func (h *health) status(candidate decide.Candidate) CandidateStatus {
	h.mu.Lock()
	defer h.mu.Unlock()
	s := CandidateStatus{Candidate: candidate}
	c, ok := h.candidates[candidate]
	if !ok {
		return s
	}
	now := time.Now()
	s.Succeeded, s.Failed = c.statusCounts.sum(now, statusWindow)
	s.LastCode, s.LastFailure = c.lastCode, c.lastFailure
	s.DownReason, s.Latency, s.FirstToken = c.downReasonAt(now), c.expectedLatencyAt(now), c.firstToken.at(now)
	return s
}

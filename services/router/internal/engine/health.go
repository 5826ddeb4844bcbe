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
	// shown is how far the counts go back that people are shown.
	shown = 5 * time.Minute
	// smoothing is how slowly the expected latency follows the measured one, and
	// stale is when it is no longer believed.
	smoothing = 8
	stale     = 10 * time.Minute
)

// Outcome is what became of one attempt.
type Outcome struct {
	Target decide.Target
	// Code is empty on success.
	Code apperr.Code
	// FirstToken is how long the first token took; 0 when there was none.
	FirstToken time.Duration
}

// TargetStatus is the health of one target over the last minutes.
type TargetStatus struct {
	Target    decide.Target
	Succeeded int64
	Failed    int64
	// LastCode and LastFailure are empty when nothing failed yet.
	LastCode    apperr.Code
	LastFailure time.Time
	// Down is why decisions leave it out, "" when they do not, and Latency
	// after how many microseconds they expect its first token.
	Down    string
	Latency int64
}

// asked tells whether anything is known of it.
func (s TargetStatus) asked() bool { return s.Succeeded+s.Failed > 0 || s.LastCode != "" }

// health is what all proxies together know of the targets of the active policy,
// and of no others, so that reports cannot fill the memory. A target that fails
// everywhere is down before every proxy has found out for itself; whether it
// has recovered is for the proxies to try.
type health struct {
	mu      sync.Mutex
	breaker policy.Breaker
	targets map[decide.Target]*tally
}

type tally struct {
	// minutes are for people, recent for decisions.
	minutes, recent window
	lastCode        apperr.Code
	last            time.Time
	// down is until when it is, and why.
	down time.Time
	why  string
	// latency is in microseconds, as of measured.
	latency  int64
	measured time.Time
}

func newHealth() *health { return &health{targets: map[decide.Target]*tally{}} }

// keep drops the targets that are gone and begins to count the new ones.
func (h *health) keep(targets []decide.Target, breaker policy.Breaker) {
	h.mu.Lock()
	defer h.mu.Unlock()
	kept := make(map[decide.Target]*tally, len(targets))
	for _, t := range targets {
		kept[t] = h.targets[t]
		if kept[t] == nil {
			kept[t] = &tally{}
		}
	}
	h.targets, h.breaker = kept, breaker
}

func (h *health) report(o Outcome) {
	h.mu.Lock()
	defer h.mu.Unlock()
	y, ok := h.targets[o.Target]
	if !ok || !tells(o.Code) {
		return
	}
	now := time.Now()
	y.minutes.add(now, shown, o.Code != "")
	if o.Code != "" {
		y.lastCode, y.last = o.Code, now
	}
	if o.Code == "" || counts(o.Code) {
		y.recent.add(now, h.breaker.Window, o.Code != "")
		y.judge(now, o.Code != "", h.breaker)
	}
	if o.Code == "" && o.FirstToken > 0 {
		y.measure(now, o.FirstToken.Microseconds())
	}
}

// judge takes the target down when too much of it fails, and up as soon as not.
func (y *tally) judge(now time.Time, failed bool, breaker policy.Breaker) {
	good, bad := y.recent.sum(now, breaker.Window)
	switch {
	case !breaker.Trips(bad, good+bad):
		y.down = time.Time{}
	case failed:
		y.down = now.Add(breaker.Open)
		y.why = fmt.Sprintf("%d of %d attempts of all proxies failed in the last %s", bad, good+bad, breaker.Window)
	}
}

func (y *tally) measure(now time.Time, us int64) {
	if y.latency == 0 || now.Sub(y.measured) > stale {
		y.latency = us
	} else {
		y.latency += (us - y.latency) / smoothing
	}
	y.measured = now
}

// tells is whether an outcome says anything about the target: a request that
// was refused for what it is, or whose client went away, does not.
func tells(code apperr.Code) bool {
	switch policy.FailureOf(code) {
	case "":
		return code == ""
	case policy.FailContext:
		return false
	}
	return code != apperr.Internal && code != apperr.UnsupportedParameter
}

// counts is whether a failure can take a target down. A limit is for each proxy
// to wait out, and a model that is not there may be one caller's mistake.
func counts(code apperr.Code) bool {
	f := policy.FailureOf(code)
	return tells(code) && f != policy.FailRateLimit && f != policy.FailModel
}

func (h *health) status(t decide.Target) TargetStatus {
	h.mu.Lock()
	defer h.mu.Unlock()
	s := TargetStatus{Target: t}
	y, ok := h.targets[t]
	if !ok {
		return s
	}
	now := time.Now()
	s.Succeeded, s.Failed = y.minutes.sum(now, shown)
	s.LastCode, s.LastFailure = y.lastCode, y.last
	s.Down, s.Latency = y.downAt(now), y.latencyAt(now)
	return s
}

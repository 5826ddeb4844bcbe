package breaker

import (
	"time"

	"github.com/signalbox/signalbox/pkg/policy"
)

const (
	// requiredProbes is how many calls must succeed in the half-open state before
	// the breaker closes. After a rate limit, one success is enough.
	requiredProbes = 3
	// firstPause is how long the breaker opens for a rate limit without Retry-After. It
	// doubles with each further rate limit in a row.
	firstPause = time.Second
	// maxPause is the longest time for which a rate limit opens the breaker.
	maxPause = time.Minute
)

// state is the breaker of one candidate.
type state struct {
	window window
	// failureStreak counts failures in a row.
	failureStreak int64
	// generation counts how often the breaker opened or closed.
	generation uint64
	// until is when an open breaker becomes half open; zero while it is closed.
	until time.Time
	// rateLimited is set when the breaker is open because of a rate limit.
	rateLimited bool
	// activeProbes is the number of probe calls in progress.
	activeProbes int
	// successfulProbes is the number of successful calls since the breaker opened.
	successfulProbes int
	// reopened counts how often the breaker opened again after a failed probe, or soon
	// after it closed.
	reopened int
	// rateLimitStreak counts the rate limits in a row.
	rateLimitStreak int
	// nonStreaming and streaming detect candidates that do not respond, one per kind of
	// call. They are separate, because only a streaming call shows data before its end.
	nonStreaming, streaming silence
	failureDebt             failureDebt
	forcing                 forcing
	// closedAt is when the breaker last closed after failures.
	closedAt time.Time
	// lastSuccess is when a call last succeeded.
	lastSuccess time.Time
}

func (st *state) isClosed() bool { return st.until.IsZero() }

// admitsCall reports whether a call may be made. A closed breaker admits every call. A
// half-open breaker admits one concurrent probe, and one more for each successful probe.
func (st *state) admitsCall(now time.Time) bool {
	return st.isClosed() || !now.Before(st.until) && st.activeProbes <= st.successfulProbes
}

// isHealthy reports whether the breaker is closed and at most a tenth of the recent calls
// failed. The retry budget does not limit retries to a healthy candidate, so that this
// candidate can take over the load of others.
func (st *state) isHealthy(now time.Time, settings policy.Breaker) bool {
	sum := st.window.sum(now, settings.Window)
	return st.isClosed() && 10*(sum.failed+sum.unreached) <= sum.total()
}

// isDegraded reports whether callers should prefer another candidate. A candidate
// with fewer than MinRequests calls in the window is never degraded.
func (st *state) isDegraded(now time.Time, settings policy.Breaker) bool {
	return st.isClosed() && st.failureDebt.exceedsLimit(settings) && st.window.sum(now, settings.Window).total() >= settings.MinRequests
}

func (st *state) silenceOf(k Kind) *silence {
	if k.Stream {
		return &st.streaming
	}
	return &st.nonStreaming
}

// recordActivity resets the silence detection, unless the verdict is Inconclusive or
// TimedOut. All other verdicts show that the call did not hang.
func (st *state) recordActivity(c Call, v Verdict, now time.Time) {
	switch {
	case v == Inconclusive || v == TimedOut:
	case v == Good && !c.Stream:
		st.nonStreaming.recordResponse(now.Sub(c.startedAt))
	default:
		st.silenceOf(c.Kind).recordResponse(0)
	}
	if v == Good {
		st.lastSuccess = now
	}
}

// recordVerdict updates the breaker when a call ends.
func (st *state) recordVerdict(now time.Time, v Verdict, wait time.Duration, probe bool, settings policy.Breaker) {
	switch {
	case v == Inconclusive:
	case v == Good:
		st.recordSuccess(now, settings)
	case v == RateLimited && (st.isClosed() || probe):
		st.openForRateLimit(now, wait)
	case !st.isClosed() && probe:
		st.openAfterFailures(now, st.reopened+1, settings)
	case st.isClosed():
		st.recordFailure(now, v, wait, settings)
	}
}

func (st *state) recordSuccess(now time.Time, settings policy.Breaker) {
	st.failureStreak, st.rateLimitStreak = 0, 0
	if st.isClosed() {
		st.window.currentBucket(now, settings.Window).good++
		return
	}
	st.successfulProbes++
	if st.rateLimited || st.successfulProbes >= requiredProbes {
		st.close(now)
	}
}

func (st *state) recordFailure(now time.Time, v Verdict, wait time.Duration, settings policy.Breaker) {
	st.failureStreak++
	c := st.window.currentBucket(now, settings.Window)
	switch v {
	case Unreachable:
		c.unreached++
	case Failed, TimedOut:
		c.failed++
	}
	sum := st.window.sum(now, settings.Window)
	bad := sum.failed
	if v == Unreachable {
		bad += sum.unreached
	}
	switch {
	case st.failureStreak >= settings.MinRequests, v != NotServed && settings.Trips(bad, sum.good+bad):
		st.openAfterFailures(now, st.nextReopened(now), settings)
	case wait > 0:
		st.openForRateLimit(now, wait)
	}
}

// nextReopened returns the new value of reopened when the breaker opens. It is 0 if the
// breaker opens for the first time or was closed for a long time.
func (st *state) nextReopened(now time.Time) int {
	if st.closedAt.IsZero() || now.Sub(st.closedAt) >= policy.MaxOpen {
		return 0
	}
	return st.reopened + 1
}

func (st *state) openAfterFailures(now time.Time, reopened int, settings policy.Breaker) {
	open := policy.MaxOpen
	if reopened < 16 { // avoids overflow; every setting reaches the maximum before that
		open = min(settings.OpenDuration<<reopened, open)
	}
	st.openUntil(now.Add(open))
	st.reopened, st.rateLimited = reopened, false
}

// openForRateLimit opens the breaker for the delay that the provider requests, at most
// maxPause. If the provider requests none, the delay doubles each time.
func (st *state) openForRateLimit(now time.Time, wait time.Duration) {
	if wait <= 0 {
		wait = firstPause << min(st.rateLimitStreak, 6)
	}
	failing := !st.isClosed() && !st.rateLimited
	st.openUntil(now.Add(min(wait, maxPause)))
	st.rateLimitStreak++
	st.rateLimited = !failing // a breaker that opened after failures still requires all probes
}

func (st *state) openUntil(until time.Time) {
	st.generation++
	st.until, st.successfulProbes, st.activeProbes = until, 0, 0
	st.nonStreaming.pending, st.streaming.pending = 0, 0
}

func (st *state) close(now time.Time) {
	st.generation++
	st.until, st.failureStreak, st.forcing.failureStreak = time.Time{}, 0, 0
	if !st.rateLimited {
		st.closedAt, st.window = now, window{}
	}
	st.rateLimited = false
}

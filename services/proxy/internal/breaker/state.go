package breaker

import (
	"time"

	"github.com/signalbox/signalbox/pkg/policy"
)

const (
	// requiredProbes is how many calls must succeed in the half-open state before
	// the breaker closes. They start one at a time.
	requiredProbes = 3
	// firstPause applies to a rate limit without Retry-After, and doubles with
	// each further one. maxPause limits what a provider may ask for.
	firstPause = time.Second
	maxPause   = time.Minute
)

// state is the breaker of one candidate.
type state struct {
	window window
	// streak counts failures in a row.
	streak int64
	// generation counts how often the breaker opened or closed.
	generation uint64
	// until is when an open breaker becomes half open; zero while it is closed.
	until time.Time
	// rateLimited is set when the breaker is open because of a rate limit.
	rateLimited bool
	// probing is the number of probe calls in progress, good that of successful
	// ones.
	probing, good int
	// reopened counts how often the breaker opened again soon after it closed.
	// limits counts the rate limits in a row.
	reopened, limits int
	// plain and stream calls are separate, because only streams show early data.
	plain, stream silence
	failureDebt   failureDebt
	// closedAt is when the breaker last closed, lastSuccess when a call last succeeded.
	closedAt, lastSuccess time.Time
}

func (st *state) isClosed() bool { return st.until.IsZero() }

// admitsCall reports whether a call may be made: always while closed, and in the
// half-open state one more probe than have succeeded.
func (st *state) admitsCall(now time.Time) bool {
	return st.isClosed() || !now.Before(st.until) && st.probing <= st.good
}

// isHealthy reports whether at most a tenth of the calls fail. A healthy candidate
// may take over the load of failed ones without a retry budget.
func (st *state) isHealthy(now time.Time, set policy.Breaker) bool {
	sum := st.window.sum(now, set.Window)
	return st.isClosed() && 10*(sum.failed+sum.unreached) <= sum.total()
}

// isDegraded reports whether callers should prefer another candidate. It needs a
// minimum number of calls.
func (st *state) isDegraded(now time.Time, set policy.Breaker) bool {
	return st.isClosed() && st.failureDebt.exceedsLimit(set) && st.window.sum(now, set.Window).total() >= set.MinRequests
}

func (st *state) silenceOf(k Kind) *silence {
	if k.Stream {
		return &st.stream
	}
	return &st.plain
}

// recordActivity counts the end of a call as a response, if it was one.
func (st *state) recordActivity(c Call, v Verdict, now time.Time) {
	switch {
	case v == Inconclusive || v == TimedOut:
	case v == Good && !c.Stream:
		st.plain.recordResponse(now.Sub(c.startedAt))
	default:
		st.silenceOf(c.Kind).recordResponse(0)
	}
	if v == Good {
		st.lastSuccess = now
	}
}

// recordVerdict updates the breaker with the end of a call.
func (st *state) recordVerdict(now time.Time, v Verdict, wait time.Duration, probe bool, set policy.Breaker) {
	switch {
	case v == Inconclusive:
	case v == Good:
		st.recordSuccess(now, set)
	case v == RateLimited && (st.isClosed() || probe):
		st.openForRateLimit(now, wait)
	case !st.isClosed() && probe:
		st.openAfterFailures(now, st.reopened+1, set)
	case st.isClosed():
		st.recordFailure(now, v, wait, set)
	}
}

func (st *state) recordSuccess(now time.Time, set policy.Breaker) {
	st.streak, st.limits = 0, 0
	if st.isClosed() {
		st.window.currentBucket(now, set.Window).good++
		return
	}
	st.good++
	if st.rateLimited || st.good >= requiredProbes {
		st.close(now)
	}
}

func (st *state) recordFailure(now time.Time, v Verdict, wait time.Duration, set policy.Breaker) {
	st.streak++
	c := st.window.currentBucket(now, set.Window)
	switch v {
	case Unreachable:
		c.unreached++
	case Failed, TimedOut:
		c.failed++
	}
	sum := st.window.sum(now, set.Window)
	bad := sum.failed
	if v == Unreachable {
		bad += sum.unreached
	}
	switch {
	case st.streak >= set.MinRequests, v != NotServed && set.Trips(bad, sum.good+bad):
		st.openAfterFailures(now, st.nextReopened(now), set)
	case wait > 0:
		st.openForRateLimit(now, wait)
	}
}

// nextReopened returns the new value of reopened when the breaker opens. It starts
// at 0 again if the breaker was closed for long.
func (st *state) nextReopened(now time.Time) int {
	if st.closedAt.IsZero() || now.Sub(st.closedAt) >= policy.MaxOpen {
		return 0
	}
	return st.reopened + 1
}

func (st *state) openAfterFailures(now time.Time, reopened int, set policy.Breaker) {
	open := policy.MaxOpen
	if reopened < 16 { // avoids overflow; no setting reaches the cap later than that
		open = min(set.OpenDuration<<reopened, open)
	}
	st.openUntil(now.Add(open))
	st.reopened, st.rateLimited = reopened, false
}

// openForRateLimit opens the breaker for as long as the provider asks, or for longer
// each time.
func (st *state) openForRateLimit(now time.Time, wait time.Duration) {
	if wait <= 0 {
		wait = firstPause << min(st.limits, 6)
	}
	failing := !st.isClosed() && !st.rateLimited
	st.openUntil(now.Add(min(wait, maxPause)))
	st.limits++
	st.rateLimited = !failing // after failures the probes are still required
}

func (st *state) openUntil(until time.Time) {
	st.generation++
	st.until, st.good, st.probing = until, 0, 0
	st.plain.pending, st.stream.pending = 0, 0
}

func (st *state) close(now time.Time) {
	st.generation++
	st.until, st.streak = time.Time{}, 0
	if !st.rateLimited {
		st.closedAt, st.window = now, window{}
	}
	st.rateLimited = false
}

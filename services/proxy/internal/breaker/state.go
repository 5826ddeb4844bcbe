package breaker

import (
	"time"

	"github.com/signalbox/signalbox/pkg/policy"
)

const (
	// probes is how many calls must go well, after failures, before a target is
	// in use again. They begin with one at a time.
	probes = 3
	// firstRest is for a limit without a delay, doubled for each that follows;
	// longestRest bounds what a provider may ask for.
	firstRest   = time.Second
	longestRest = time.Minute
)

// state is what is known of a target.
type state struct {
	window window
	// streak counts calls in a row that did not go well.
	streak int64
	// turn counts the times that it was taken out of use or came back.
	turn uint64
	// until is when it may be tried again; zero while it is in use.
	until time.Time
	// resting is set when it is out of use because it limits its callers.
	resting bool
	// probing calls are under way to find out, and good of them went well.
	probing, good int
	// strikes counts the times out of use that followed one another soon, and
	// limits those of resting.
	strikes, limits int
	// plain and stream calls are told apart: only one shows signs of life.
	plain, stream silence
	strain        strain
	// back is when it last came back, reached when a call last went well.
	back, reached time.Time
}

func (st *state) inUse() bool { return st.until.IsZero() }

// admits tells whether a call may be made: always while in use, and when its
// time is over for as many as have gone well, and one.
func (st *state) admits(now time.Time) bool {
	return st.inUse() || !now.Before(st.until) && st.probing <= st.good
}

// sound tells whether next to nothing fails: such a target may be given what
// others could not do, all of it at once.
func (st *state) sound(now time.Time, set policy.Breaker) bool {
	sum := st.window.sum(now, set.Window)
	return st.inUse() && 10*(sum.failed+sum.unreached) <= sum.all()
}

// strained tells whether it is better spared; few calls say nothing.
func (st *state) strained(now time.Time, set policy.Breaker) bool {
	return st.inUse() && st.strain.over(set) && st.window.sum(now, set.Window).all() >= set.MinRequests
}

func (st *state) quiet(k Kind) *silence {
	if k.Stream {
		return &st.stream
	}
	return &st.plain
}

// hear takes the end of a call for the sign of life that it is.
func (st *state) hear(c Call, v Verdict, now time.Time) {
	switch {
	case v == Nothing || v == Silent:
	case v == Good && !c.Stream:
		st.plain.heard(now.Sub(c.began))
	default:
		st.quiet(c.Kind).heard(0)
	}
	if v == Good {
		st.reached = now
	}
}

// learn takes the end of a call in.
func (st *state) learn(now time.Time, v Verdict, wait time.Duration, probe bool, set policy.Breaker) {
	switch {
	case v == Nothing:
	case v == Good:
		st.went(now, set)
	case v == Limited && (st.inUse() || probe):
		st.rest(now, wait)
	case !st.inUse() && probe:
		st.takeOut(now, st.strikes+1, set)
	case st.inUse():
		st.failed(now, v, wait, set)
	}
}

func (st *state) went(now time.Time, set policy.Breaker) {
	st.streak, st.limits = 0, 0
	if st.inUse() {
		st.window.count(now, set.Window).good++
		return
	}
	st.good++
	if st.resting || st.good >= probes {
		st.comeBack(now)
	}
}

func (st *state) failed(now time.Time, v Verdict, wait time.Duration, set policy.Breaker) {
	st.streak++
	c := st.window.count(now, set.Window)
	switch v {
	case Unreached:
		c.unreached++
	case Failed, Silent:
		c.failed++
	}
	sum := st.window.sum(now, set.Window)
	bad := sum.failed
	if v == Unreached {
		bad += sum.unreached
	}
	switch {
	case st.streak >= set.MinRequests, v != Absent && set.Trips(bad, sum.good+bad):
		st.takeOut(now, st.next(now), set)
	case wait > 0:
		st.rest(now, wait)
	}
}

// next is the number of strikes with one more: those of long ago are forgotten.
func (st *state) next(now time.Time) int {
	if st.back.IsZero() || now.Sub(st.back) >= policy.LongestOpen {
		return 0
	}
	return st.strikes + 1
}

func (st *state) takeOut(now time.Time, strikes int, set policy.Breaker) {
	open := policy.LongestOpen
	if strikes < 16 { // no shorter than that many doublings of any setting
		open = min(set.Open<<strikes, open)
	}
	st.leave(now.Add(open))
	st.strikes, st.resting = strikes, false
}

// rest takes it out of use for as long as its provider asks, or for longer each
// time.
func (st *state) rest(now time.Time, wait time.Duration) {
	if wait <= 0 {
		wait = firstRest << min(st.limits, 6)
	}
	failing := !st.inUse() && !st.resting
	st.leave(now.Add(min(wait, longestRest)))
	st.limits++
	st.resting = !failing // what failed before must still show itself
}

func (st *state) leave(until time.Time) {
	st.turn++
	st.until, st.good, st.probing = until, 0, 0
	st.plain.begun, st.stream.begun = 0, 0
}

func (st *state) comeBack(now time.Time) {
	st.turn++
	st.until, st.streak = time.Time{}, 0
	if !st.resting {
		st.back, st.window = now, window{}
	}
	st.resting = false
}

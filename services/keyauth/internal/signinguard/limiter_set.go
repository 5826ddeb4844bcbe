package signinguard

import (
	"time"

	"golang.org/x/time/rate"
)

// maxThrottled limits the entries of each limiter set. To evict one entry, an attacker
// needs attempts with about 10,000 different names, and gains only a few guesses.
const maxThrottled = 10_000

// attemptRate allows burst attempts at once, then one attempt per interval.
type attemptRate struct {
	burst    int
	interval time.Duration
}

// limiterSet holds rate limiters by name, at most maxThrottled.
type limiterSet struct {
	rate   attemptRate
	byName map[string]*rate.Limiter
}

func newLimiterSet(r attemptRate) limiterSet {
	return limiterSet{rate: r, byName: map[string]*rate.Limiter{}}
}

func (s limiterSet) limiterFor(name string) *rate.Limiter {
	l, ok := s.byName[name]
	if !ok {
		s.evictIdle()
		l = rate.NewLimiter(rate.Every(s.rate.interval), s.rate.burst)
		s.byName[name] = l
	}
	return l
}

// evictIdle removes limiters that have all their tokens again. If too many are left, it removes arbitrary limiters.
func (s limiterSet) evictIdle() {
	if len(s.byName) < maxThrottled {
		return
	}
	for name, l := range s.byName {
		if l.Tokens() >= float64(s.rate.burst) {
			delete(s.byName, name)
		}
	}
	evictTenth(s.byName)
}

// evictTenth removes arbitrary entries until less than 90 % of maxThrottled are left.
// Removing only one entry would scan the whole map on every attempt of a flood.
func evictTenth[V any](from map[string]V) {
	for name := range from {
		if len(from) < maxThrottled*9/10 {
			return
		}
		delete(from, name)
	}
}

// takeFromAll takes one token from each limiter. If a limiter is empty, takeFromAll takes
// no token and returns how long to wait.
func takeFromAll(all []*rate.Limiter) (taken []*rate.Limiter, wait time.Duration) {
	for _, l := range all {
		wait = max(wait, l.Reserve().Delay())
	}
	if wait == 0 {
		return all, 0
	}
	refund(all)
	return nil, wait
}

// refund gives one token back to each limiter. Reserving a negative number adds tokens.
func refund(taken []*rate.Limiter) {
	for _, l := range taken {
		l.ReserveN(time.Now(), -1)
	}
}

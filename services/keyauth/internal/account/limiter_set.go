package account

import (
	"time"

	"golang.org/x/time/rate"
)

// maxThrottled limits the memory of each limiter set. An attacker needs about 10,000
// attempts to evict one entry, and gains only a few guesses.
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

// evictIdle removes limiters that have all their tokens again. If that is not enough, it removes arbitrary ones.
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

// evictTenth removes at least a tenth of the entries, so that a flood does not
// scan the whole map on every attempt.
func evictTenth[V any](from map[string]V) {
	for name := range from {
		if len(from) < maxThrottled*9/10 {
			return
		}
		delete(from, name)
	}
}

// takeFromAll takes one token from each limiter. If one limiter is empty, it takes none and returns how long to wait.
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

// refund returns one token to each limiter. Reserving a negative number adds tokens.
func refund(taken []*rate.Limiter) {
	for _, l := range taken {
		l.ReserveN(time.Now(), -1)
	}
}

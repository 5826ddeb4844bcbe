package account

import (
	"time"

	"golang.org/x/time/rate"
)

// maxThrottled bounds the memory of each kind. To push an entry out one must
// make about as many attempts, which gain a few guesses.
const maxThrottled = 10_000

// pace is how many attempts may follow each other at once; then one every.
type pace struct {
	free  int
	every time.Duration
}

// buckets are limiters by name, not too many.
type buckets struct {
	pace pace
	by   map[string]*rate.Limiter
}

func newBuckets(p pace) buckets { return buckets{pace: p, by: map[string]*rate.Limiter{}} }

func (b buckets) of(name string) *rate.Limiter {
	l, ok := b.by[name]
	if !ok {
		b.makeRoom()
		l = rate.NewLimiter(rate.Every(b.pace.every), b.pace.free)
		b.by[name] = l
	}
	return l
}

// makeRoom drops those that would allow everything again, else any.
func (b buckets) makeRoom() {
	if len(b.by) < maxThrottled {
		return
	}
	for name, l := range b.by {
		if l.Tokens() >= float64(b.pace.free) {
			delete(b.by, name)
		}
	}
	dropSome(b.by)
}

// dropSome drops a tenth at least, so that a flood does not pay for a look at
// all each time.
func dropSome[V any](from map[string]V) {
	for name := range from {
		if len(from) < maxThrottled*9/10 {
			return
		}
		delete(from, name)
	}
}

// takeAll takes one of each, or none and tells how long to wait.
func takeAll(all []*rate.Limiter) (taken []*rate.Limiter, wait time.Duration) {
	for _, l := range all {
		wait = max(wait, l.Reserve().Delay())
	}
	if wait == 0 {
		return all, 0
	}
	giveBack(all)
	return nil, wait
}

// giveBack: to take less than nothing is to give.
func giveBack(taken []*rate.Limiter) {
	for _, l := range taken {
		l.ReserveN(time.Now(), -1)
	}
}

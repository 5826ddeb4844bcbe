package account

import (
	"sync"
	"time"

	"golang.org/x/time/rate"
)

const (
	// freeAttempts may follow each other at once; then one every attemptEvery.
	freeAttempts = 5
	attemptEvery = 30 * time.Second
	// maxThrottled bounds memory. To push an entry out one must make about as
	// many attempts, which gain five guesses.
	maxThrottled = 10_000
)

// throttle slows down guessing, by e-mail.
type throttle struct {
	mu      sync.Mutex
	byEmail map[string]*rate.Limiter
}

func newThrottle() *throttle { return &throttle{byEmail: map[string]*rate.Limiter{}} }

// take counts an attempt before it is made, so that many at the same time do
// not slip through. It returns how long to wait; 0 means go on.
func (t *throttle) take(email string) time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	l, ok := t.byEmail[email]
	if !ok {
		t.makeRoom()
		l = rate.NewLimiter(rate.Every(attemptEvery), freeAttempts)
		t.byEmail[email] = l
	}
	r := l.Reserve()
	wait := r.Delay()
	if wait > 0 {
		r.Cancel()
	}
	return wait
}

// forget is for an attempt that succeeded.
func (t *throttle) forget(email string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.byEmail, email)
}

// makeRoom drops those that would allow everything again, else any. It drops a
// tenth at least, so that a flood does not pay for a look at all each time.
func (t *throttle) makeRoom() {
	if len(t.byEmail) < maxThrottled {
		return
	}
	for email, l := range t.byEmail {
		if l.Tokens() >= freeAttempts {
			delete(t.byEmail, email)
		}
	}
	for email := range t.byEmail {
		if len(t.byEmail) < maxThrottled*9/10 {
			return
		}
		delete(t.byEmail, email)
	}
}

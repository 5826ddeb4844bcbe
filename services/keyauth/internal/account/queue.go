package account

import (
	"sync"

	"github.com/signalbox/signalbox/pkg/apperr"
)

const (
	// hashesWaiting bounds the queue; at 0.1 s a hash its end waits 2 s.
	hashesWaiting = 40
	// strangersWaiting leaves room for those who have signed in before.
	strangersWaiting = 32
	// laneWaiting is the share of one lane: a flood leaves room for others.
	laneWaiting = 10
)

// lane is whose place in the queue it is: that of an address, or of somebody
// who is known, whom strangers at the same address do not hold up.
type lane struct {
	name  string
	known bool
}

// queue counts who waits for a hash, or has it made.
type queue struct {
	mu  sync.Mutex
	all int
	by  map[string]int
}

// enter takes a place, which is left again. Errors: TOO_MANY_ATTEMPTS when the
// lane has its share, GATEWAY_OVERLOADED when there is no room.
func (q *queue) enter(l lane) error {
	most := strangersWaiting
	if l.known {
		most = hashesWaiting
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.by[l.name] >= laneWaiting {
		return apperr.New(apperr.TooManyAttempts, "too many sign-ins at the same time").After(hashRetry)
	}
	if q.all >= most {
		return overloaded()
	}
	q.all++
	q.by[l.name]++
	return nil
}

func (q *queue) leave(l lane) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.all--
	if q.by[l.name]--; q.by[l.name] == 0 {
		delete(q.by, l.name)
	}
}

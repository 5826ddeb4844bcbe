package signinguard

import (
	"sync"

	"github.com/signalbox/signalbox/pkg/apperr"
)

const (
	// maxWaitingHashes limits the queue. With 0.1 s per hash and two hashes at a time, the last entry waits 2 s.
	maxWaitingHashes = 40
	// maxWaitingUnknown is the limit for unknown requesters. The remaining slots are only for known users.
	maxWaitingUnknown = 32
	// maxWaitingPerRequester limits one requester, so that it cannot fill the queue alone.
	maxWaitingPerRequester = 10
)

// Requester identifies the caller that waits for a hash. A user is known after a
// sign-in from the same address. A known user has a name of its own, so that unknown
// callers from the same address cannot use up the user's slots.
type Requester struct {
	Name  string
	Known bool
}

// hashQueue counts the hashes that wait or are being computed.
type hashQueue struct {
	mu          sync.Mutex
	total       int
	byRequester map[string]int
}

// reserveSlot reserves a slot in the queue. The caller must free it with
// releaseSlot. Errors: TOO_MANY_ATTEMPTS if the requester holds too many slots,
// GATEWAY_OVERLOADED if the queue is full.
func (q *hashQueue) reserveSlot(r Requester) error {
	limit := maxWaitingUnknown
	if r.Known {
		limit = maxWaitingHashes
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.byRequester[r.Name] >= maxWaitingPerRequester {
		return apperr.New(apperr.TooManyAttempts, "too many concurrent sign-ins from this address").WithRetryAfter(hashRetryAfter)
	}
	if q.total >= limit {
		return overloadedError()
	}
	q.total++
	q.byRequester[r.Name]++
	return nil
}

func (q *hashQueue) releaseSlot(r Requester) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.total--
	if q.byRequester[r.Name]--; q.byRequester[r.Name] == 0 {
		delete(q.byRequester, r.Name)
	}
}

package account

import (
	"sync"

	"github.com/signalbox/signalbox/pkg/apperr"
)

const (
	// maxWaitingHashes limits the queue. With 0.1 s per hash and two hashes at a time, the last entry waits 2 s.
	maxWaitingHashes = 40
	// maxWaitingUnknown is the limit for requesters that have not signed in before. It leaves slots for the others.
	maxWaitingUnknown = 32
	// maxWaitingPerRequester is the share of one requester, so that a flood leaves slots for others.
	maxWaitingPerRequester = 10
)

// requester identifies the caller that waits for a hash: an IP address, or a known
// user. Unknown callers from the same address do not delay a known user.
type requester struct {
	name  string
	known bool
}

// hashQueue counts the requesters that wait for a hash or are computing one.
type hashQueue struct {
	mu          sync.Mutex
	total       int
	byRequester map[string]int
}

// reserveSlot reserves a slot, which releaseSlot frees. Errors: TOO_MANY_ATTEMPTS
// if the requester has used its share, GATEWAY_OVERLOADED if the queue is full.
func (q *hashQueue) reserveSlot(r requester) error {
	most := maxWaitingUnknown
	if r.known {
		most = maxWaitingHashes
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.byRequester[r.name] >= maxWaitingPerRequester {
		return apperr.New(apperr.TooManyAttempts, "too many concurrent sign-ins from this address").WithRetryAfter(hashRetryAfter)
	}
	if q.total >= most {
		return overloadedError()
	}
	q.total++
	q.byRequester[r.name]++
	return nil
}

func (q *hashQueue) releaseSlot(r requester) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.total--
	if q.byRequester[r.name]--; q.byRequester[r.name] == 0 {
		delete(q.byRequester, r.name)
	}
}

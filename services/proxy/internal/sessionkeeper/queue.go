package sessionkeeper

import (
	"slices"
	"sync"

	"github.com/signalbox/signalbox/services/proxy/internal/session"
)

// maxQueue is how many sessions may have changes that wait to be written. Changes of further
// sessions are dropped.
const maxQueue = 4096

// queue holds the changes that wait to be written. It joins the changes of one session, so that
// its size depends on the number of sessions and not on how long the store is away. It is safe
// for concurrent use.
type queue struct {
	// ready has an element if changes may wait.
	ready chan struct{}

	mu      sync.Mutex
	waiting map[session.Key]Change
	// order has the keys of waiting, the longest waiting first.
	order []session.Key
}

func newQueue() *queue {
	return &queue{ready: make(chan struct{}, 1), waiting: map[session.Key]Change{}}
}

// add adds a change. It returns false if the queue is full. The state of the change must be newer
// than that of every earlier change of its session.
func (q *queue) add(c Change) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	earlier, known := q.waiting[c.Key]
	switch {
	case known:
		c.Added.Add(earlier.Added)
		c.IsTurn = c.IsTurn || earlier.IsTurn
	case len(q.order) >= maxQueue:
		return false
	default:
		q.order = append(q.order, c.Key)
	}
	q.waiting[c.Key] = c
	select {
	case q.ready <- struct{}{}:
	default: // the reader knows already
	}
	return true
}

// take removes at most limit changes and returns them, the longest waiting first.
func (q *queue) take(limit int) []Change {
	q.mu.Lock()
	defer q.mu.Unlock()
	n := min(limit, len(q.order))
	batch := make([]Change, 0, n)
	for _, key := range q.order[:n] {
		batch = append(batch, q.waiting[key])
		delete(q.waiting, key)
	}
	q.order = slices.Delete(q.order, 0, n)
	return batch
}

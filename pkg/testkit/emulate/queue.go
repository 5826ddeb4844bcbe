package emulate

import "sync"

// maxCounted bounds how many requests with the directive "times" are tracked.
const maxCounted = 1000

// queue holds the scheduled failures and counts past ones.
type queue struct {
	mu    sync.Mutex
	lists []string
	count map[string]int
}

func (q *queue) add(lists ...string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.lists = append(q.lists, lists...)
}

func (q *queue) next() string {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.lists) == 0 {
		return ""
	}
	list := q.lists[0]
	q.lists = q.lists[1:]
	return list
}

// isWithinFirst reports whether this is one of the first n times.
func (q *queue) isWithinFirst(what string, n int) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.count == nil || len(q.count) > maxCounted {
		q.count = map[string]int{}
	}
	what = makeSignature(what)
	q.count[what]++
	return q.count[what] <= n
}

package server

import "sync"

// maxCounted limits how many requests with the directive "times" are counted. Beyond this limit, all
// counts start again.
const maxCounted = 1000

// queue contains the directives for the next calls. It also counts requests for the directive "times".
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

// isWithinFirst counts the request and reports whether it has been counted at most n times.
func (q *queue) isWithinFirst(request string, n int) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.count == nil || len(q.count) > maxCounted {
		q.count = map[string]int{}
	}
	request = MakeSignature(request)
	q.count[request]++
	return q.count[request] <= n
}

package gate

import (
	"context"
	"slices"
	"time"
)

// waiter is a request that waits for a place.
type waiter struct {
	account *account
	key     *usage
	// answer is whether it was let in; it has room for the one there is.
	answer chan bool
}

// wait queues a request up. Where the queue is full somebody leaves it: the
// oldest request of the account that has most, which has the least to hope for,
// or the new one if that is its account and none of it waits.
func (g *Gate) wait(a *account, k *usage) (*waiter, bool) {
	if int64(len(g.queue)) >= g.limits.Queue {
		i := g.most()
		if i < 0 || load(g.queue[i].account) < load(a) {
			return nil, false
		}
		g.refuse(i).answer <- false
	}
	w := &waiter{account: a, key: k, answer: make(chan bool, 1)}
	a.waiting++
	g.queue = append(g.queue, w)
	return w, true
}

// load is what an account has and wants.
func load(a *account) int64 { return a.requests + a.waiting }

// most is the oldest waiter of the account that has most; -1 when nobody waits.
func (g *Gate) most() int {
	at := -1
	for i, w := range g.queue {
		if at < 0 || load(w.account) > load(g.queue[at].account) {
			at = i
		}
	}
	return at
}

// next is the newest waiter of the account that has least, among those that can
// be let in; -1 when there is none. The newest are the most likely to be waited
// for still.
func (g *Gate) next() int {
	at := -1
	for i, w := range slices.Backward(g.queue) {
		if g.takes(w.account) && (at < 0 || w.account.requests < g.queue[at].account.requests) {
			at = i
		}
	}
	return at
}

// pass gives places that have become free to those who wait.
func (g *Gate) pass() {
	for len(g.queue) > 0 {
		i := g.next()
		if i < 0 {
			return
		}
		w := g.remove(i)
		g.let(w.account)
		w.answer <- true
	}
}

// remove takes a waiter out of the queue.
func (g *Gate) remove(i int) *waiter {
	w := g.queue[i]
	g.queue = slices.Delete(g.queue, i, i+1)
	w.account.waiting--
	return w
}

// refuse takes a waiter out of the queue that is not let in.
func (g *Gate) refuse(i int) *waiter {
	w := g.remove(i)
	w.key.requests--
	return w
}

// await waits for the answer, and no longer than the limit says.
func (g *Gate) await(ctx context.Context, w *waiter) bool {
	late := time.NewTimer(g.limits.Wait)
	defer late.Stop()
	select {
	case in := <-w.answer:
		return in
	case <-late.C:
	case <-ctx.Done():
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if i := slices.Index(g.queue, w); i >= 0 {
		g.refuse(i)
		return false
	}
	return <-w.answer // it came in the same moment
}

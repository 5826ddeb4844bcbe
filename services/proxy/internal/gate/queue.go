package gate

import (
	"context"
	"slices"
	"time"
)

// waiter is a request that waits for a slot.
type waiter struct {
	account *account
	key     *usage
	// admitted receives one value: true if the request got the slot, false if it was
	// rejected. It is buffered, so that sending never blocks.
	admitted chan bool
}

// enqueue adds a request to the queue. If the queue is full, it first removes and
// rejects the oldest request of the account with the highest demand. If the new
// request's account has a higher demand than all others, enqueue rejects the new
// request instead.
func (g *Gate) enqueue(a *account, k *usage) (*waiter, bool) {
	if int64(len(g.queue)) >= g.limits.Queue {
		i := g.busiestWaiter()
		if i < 0 || demand(g.queue[i].account) < demand(a) {
			return nil, false
		}
		g.rejectWaiter(i).admitted <- false
	}
	w := &waiter{account: a, key: k, admitted: make(chan bool, 1)}
	a.waiting++
	g.queue = append(g.queue, w)
	return w, true
}

// demand returns how many slots an account uses and waits for.
func demand(a *account) int64 { return a.requests + a.waiting }

// busiestWaiter returns the index of the oldest waiter of the account with the
// highest demand, or -1 if the queue is empty.
func (g *Gate) busiestWaiter() int {
	at := -1
	for i, w := range g.queue {
		if at < 0 || demand(w.account) > demand(g.queue[at].account) {
			at = i
		}
	}
	return at
}

// nextWaiter returns the index of the waiter to admit next: the newest request of
// the account that uses the fewest slots. It returns -1 if none can be admitted. The
// client of the newest request is the least likely to have given up.
func (g *Gate) nextWaiter() int {
	at := -1
	for i, w := range slices.Backward(g.queue) {
		if g.hasSlotFor(w.account) && (at < 0 || w.account.requests < g.queue[at].account.requests) {
			at = i
		}
	}
	return at
}

// admitWaiters gives free slots to waiting requests.
func (g *Gate) admitWaiters() {
	for len(g.queue) > 0 {
		i := g.nextWaiter()
		if i < 0 {
			return
		}
		w := g.dequeue(i)
		g.grantSlot(w.account)
		w.admitted <- true
	}
}

// dequeue removes a waiter from the queue.
func (g *Gate) dequeue(i int) *waiter {
	w := g.queue[i]
	g.queue = slices.Delete(g.queue, i, i+1)
	w.account.waiting--
	return w
}

// rejectWaiter removes a waiter from the queue. The waiter no longer counts in the
// key's usage.
func (g *Gate) rejectWaiter(i int) *waiter {
	w := g.dequeue(i)
	w.key.requests--
	return w
}

// awaitSlot waits until the request is admitted or rejected, at most Limits.Wait.
func (g *Gate) awaitSlot(ctx context.Context, w *waiter) bool {
	timeout := time.NewTimer(g.limits.Wait)
	defer timeout.Stop()
	select {
	case admitted := <-w.admitted:
		return admitted
	case <-timeout.C:
	case <-ctx.Done():
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if i := slices.Index(g.queue, w); i >= 0 {
		g.rejectWaiter(i)
		return false
	}
	return <-w.admitted // it was admitted or rejected at the same moment
}

// Package gate bounds what the edge has inside at the same time: requests, and
// the memory of their bodies. While there is room it lets everybody in. The
// last places are for accounts that have less than their fair share: as many as
// they needed lately are left to them. Where there is none a request waits
// briefly for one that another gives back. It holds for this process alone, and
// knows neither HTTP nor the limits that an account has agreed to. The edge uses
// it.
package gate

import (
	"context"
	"errors"
	"sync"
	"time"
)

// Limits bound what is inside. A limit of 0 is none.
type Limits struct {
	// Requests and Bytes are of all accounts together. One key has at most half
	// of either.
	Requests int64
	Bytes    int64
	// Queue is how many requests may wait for a place, and Wait how long.
	Queue int64
	Wait  time.Duration
}

var (
	// ErrFull is that there is no room, or none for this account.
	ErrFull = errors.New("no room")
	// ErrKey is that the key has as many requests inside as it may.
	ErrKey = errors.New("the key has too many requests inside")
)

// Gate counts what is inside. It is safe for concurrent use.
type Gate struct {
	limits Limits

	mu       sync.Mutex
	all      usage
	accounts map[string]*account
	// queue has those that wait, the oldest first.
	queue []*waiter
	// wanting is how many accounts want something, as counted then.
	wanting int64
	counted time.Time
	// owed is how many of the promised places their accounts do not have now.
	owed int64
}

// usage is the requests that are inside and the memory of their bodies.
type usage struct{ requests, bytes int64 }

// New makes an empty gate.
func New(l Limits) *Gate { return &Gate{limits: l, accounts: map[string]*account{}} }

// Who wants to enter.
type Who struct {
	Account, Key string
	// Most is how many requests of the key may be inside; 0 is no bound.
	Most int64
	// Now is the time, more or less.
	Now time.Time
}

// Enter finds a place, for which it may wait a moment. Errors: ErrFull, ErrKey;
// ErrFull as well when ctx ends first.
func (g *Gate) Enter(ctx context.Context, who Who) (Place, error) {
	p, w, err := g.come(who)
	switch {
	case err != nil:
		return Place{}, err
	case w != nil && !g.await(ctx, w):
		return Place{}, ErrFull
	}
	return p, nil
}

// come takes a place, or one in the queue.
func (g *Gate) come(who Who) (Place, *waiter, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	a, k := g.find(who)
	switch most := g.limits.Requests; {
	case who.Most > 0 && k.requests >= who.Most:
		return Place{}, nil, ErrKey
	case most > 0 && k.requests >= share(most):
		return Place{}, nil, ErrFull
	case g.takes(a):
		k.requests++
		g.let(a)
		return Place{gate: g, account: a, key: k}, nil, nil
	}
	w, ok := g.wait(a, k)
	if !ok {
		return Place{}, nil, ErrFull
	}
	k.requests++ // also while it waits, so that the key's bound holds
	return Place{gate: g, account: a, key: k}, w, nil
}

// takes tells whether there is a place for one more request of an account.
func (g *Gate) takes(a *account) bool {
	most := g.limits.Requests
	free := most - g.all.requests
	return most == 0 || free > kept(most) || free > 0 && g.due(a, free)
}

// due tells whether an account may have one of the last places: one that has its
// fair share leaves to the others what they needed lately.
func (g *Gate) due(a *account, free int64) bool {
	fair := g.fair(g.limits.Requests) // first, as it may count anew what is owed
	return a.requests < fair || free > max(spare(g.limits.Requests), g.owed)
}

// share is how much of a limit one key may have, so that none of them can keep
// all others out.
func share(limit int64) int64 { return limit - limit/2 }

// spare is how much of a limit is left to those who have little: one who holds
// all the rest for long cannot keep them waiting.
func spare(limit int64) int64 { return limit / 16 }

// kept is how much of a limit is left to them at most, whatever they needed, so
// that nine tenths are of use to whoever comes, and of few places all are.
func kept(limit int64) int64 { return min((limit+9)/10, limit/5) }

// Load is what is inside and what waits.
type Load struct{ Requests, Bytes, Waiting int64 }

// Load returns the present one.
func (g *Gate) Load() Load {
	g.mu.Lock()
	defer g.mu.Unlock()
	return Load{Requests: g.all.requests, Bytes: g.all.bytes, Waiting: int64(len(g.queue))}
}

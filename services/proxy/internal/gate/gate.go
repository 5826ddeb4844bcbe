// Package gate limits how many requests one proxy serves at the same time, and
// how much memory their bodies take. A request acquires a Slot, reserves bytes
// for its body, and releases both when it is done. When no slot is free, the
// request waits for a short time in a queue. The limits apply to this process
// only. The limits of accounts and keys that all proxies share are in package
// limits. The HTTP edge (package api) uses this package.
//
// Two rules keep one account from blocking the others. The fair share of an account is
// the limit divided by the number of active accounts. The last tenth of the slots is a
// reserve that only accounts below their fair share may use. An example with 32 slots
// and two active accounts, a and b:
//
//	slots  1 … 29            30 … 32
//	       any account       accounts with fewer than 16 slots
//
//	a sends 100 requests at once and gets 29 slots.
//	b sends a request and gets the 30th slot without waiting.
//
// A single active account may use all slots, because its fair share is the whole limit.
package gate

import (
	"context"
	"errors"
	"sync"
	"time"
)

// Limits are the limits of one gate. Zero means no limit.
type Limits struct {
	// Requests and Bytes limit all accounts together. One key may use at most
	// half of each.
	Requests int64
	Bytes    int64
	// Queue is how many requests may wait for a slot.
	Queue int64
	// Wait is how long a request waits at most.
	Wait time.Duration
}

var (
	// ErrFull means that no slot or no memory is free for this account.
	ErrFull = errors.New("no capacity is free")
	// ErrKeyLimit means that the key already has as many concurrent requests as its
	// own limit allows.
	ErrKeyLimit = errors.New("the key has too many concurrent requests")
)

// Gate counts the requests in progress. It is safe for concurrent use.
type Gate struct {
	limits Limits

	mu       sync.Mutex
	total    usage
	accounts map[string]*account
	// queue holds the waiting requests, oldest first.
	queue []*waiter
	// activeAccounts is the number of active accounts at the time countedAt.
	activeAccounts int64
	countedAt      time.Time
}

// usage is the number of requests in progress and the size of their bodies.
type usage struct{ requests, bytes int64 }

// New returns an empty gate.
func New(l Limits) *Gate { return &Gate{limits: l, accounts: map[string]*account{}} }

// Caller identifies the account and the key of a request that needs a slot.
type Caller struct {
	Account, Key string
	// MaxConcurrent is the key's own limit of concurrent requests. Zero means no
	// limit.
	MaxConcurrent int64
	// Now is the current time. It may be slightly old.
	Now time.Time
}

// Acquire returns a slot. It may wait up to Limits.Wait for one. It returns
// ErrKeyLimit if the key has no slot left. It returns ErrFull if no slot becomes
// free in time or ctx ends first.
func (g *Gate) Acquire(ctx context.Context, caller Caller) (Slot, error) {
	p, w, err := g.acquireOrEnqueue(caller)
	switch {
	case err != nil:
		return Slot{}, err
	case w != nil && !g.awaitSlot(ctx, w):
		return Slot{}, ErrFull
	}
	return p, nil
}

// acquireOrEnqueue returns a slot. If the slot is not free yet, it also returns a
// waiter, and the caller must wait for it.
func (g *Gate) acquireOrEnqueue(caller Caller) (Slot, *waiter, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	a, k := g.findUsage(caller)
	switch limit := g.limits.Requests; {
	case caller.MaxConcurrent > 0 && k.requests >= caller.MaxConcurrent:
		return Slot{}, nil, ErrKeyLimit
	case limit > 0 && k.requests >= maxPerKey(limit):
		return Slot{}, nil, ErrFull
	case g.hasSlotFor(a):
		k.requests++
		g.grantSlot(a)
		return Slot{gate: g, account: a, key: k}, nil, nil
	}
	w, ok := g.enqueue(a, k)
	if !ok {
		return Slot{}, nil, ErrFull
	}
	k.requests++ // a waiting request counts towards the limits of its key
	return Slot{gate: g, account: a, key: k}, w, nil
}

// hasSlotFor reports whether the account may use one more slot now.
func (g *Gate) hasSlotFor(a *account) bool {
	limit := g.limits.Requests
	free := limit - g.total.requests
	return limit == 0 || free > reserve(limit) || free > 0 && a.requests < g.fairShare(limit)
}

// maxPerKey returns how much of a limit one key may use, so that one key cannot
// block all others.
func maxPerKey(limit int64) int64 { return limit - limit/2 }

// reserve returns how much of a limit stays free for accounts below their fair share.
// Without it they would have to wait until long requests of other accounts end.
func reserve(limit int64) int64 { return limit / 10 }

// grantSlot counts one more slot for an account.
func (g *Gate) grantSlot(a *account) {
	a.requests++
	g.total.requests++
}

// Load is the number of requests in progress, their bytes, and the number of waiting
// requests.
type Load struct{ Requests, Bytes, Waiting int64 }

// Load returns the current load.
func (g *Gate) Load() Load {
	g.mu.Lock()
	defer g.mu.Unlock()
	return Load{Requests: g.total.requests, Bytes: g.total.bytes, Waiting: int64(len(g.queue))}
}

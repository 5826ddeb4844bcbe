// Package gate limits how many requests one proxy serves at the same time, and
// how much memory their bodies take. A request acquires a Slot, reserves bytes
// for its body, and releases both when it is done. When no slot is free, the
// request waits for a short time in a queue. The limits apply to this process
// only. The limits of accounts and keys that all proxies share are in package
// limits. The HTTP edge (package api) uses this package.
//
// While plenty of slots are free, every account gets one. The last tenth of the
// slots is reserved: an account at or above its fair share leaves as many slots
// free as the other accounts needed recently. An example with Requests: 32 and
// two active accounts, a and b, so that the fair share is 16:
//
//	slots  1 … 28            29 … 32
//	       any account       any account below its fair share;
//	                         the others only while more slots are free than
//	                         max(2, reserved slots not in use)
//
//	b recently used 4 slots at once and holds none now: 4 slots are reserved.
//	a acquires 28 slots. For the 29th, 4 > max(2, 4) is false: a waits.
//	b acquires 4 slots without waiting, because it is below its fair share.
//
// If b had used only 1 slot, a could acquire 30: at least two slots stay reserved.
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
	// unusedReserved is the number of reserved slots that their accounts do not
	// use now.
	unusedReserved int64
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
	return limit == 0 || free > maxReserved(limit) || free > 0 && g.mayUseReserved(a, free)
}

// mayUseReserved reports whether the account may use one of the last slots. An
// account at or above its fair share leaves the reserved slots to the others.
func (g *Gate) mayUseReserved(a *account, free int64) bool {
	fair := g.currentFairShare(g.limits.Requests) // call it first: it may recompute unusedReserved
	return a.requests < fair || free > max(minReserved(g.limits.Requests), g.unusedReserved)
}

// maxPerKey returns how much of a limit one key may use, so that one key cannot
// block all others.
func maxPerKey(limit int64) int64 { return limit - limit/2 }

// minReserved returns how much of a limit always stays free for accounts below
// their fair share. Otherwise they would have to wait for another account's long
// requests.
func minReserved(limit int64) int64 { return limit / 16 }

// maxReserved returns how much of a limit is reserved at most: a tenth, rounded
// up. Every account may use the rest. If the limit is below five, nothing is
// reserved.
func maxReserved(limit int64) int64 { return min((limit+9)/10, limit/5) }

// Load is the number of requests in progress, their bytes, and the number of waiting
// requests.
type Load struct{ Requests, Bytes, Waiting int64 }

// Load returns the current load.
func (g *Gate) Load() Load {
	g.mu.Lock()
	defer g.mu.Unlock()
	return Load{Requests: g.total.requests, Bytes: g.total.bytes, Waiting: int64(len(g.queue))}
}

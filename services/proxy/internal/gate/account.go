package gate

import "time"

const (
	// maxTracked is the number of accounts, and of keys per account, above which
	// idle ones are forgotten.
	maxTracked = 4096
	// activeWindow is how long an account stays active after its last request.
	// The fair share depends on the number of active accounts.
	activeWindow = 10 * time.Second
	// recountInterval is how old the number of active accounts may be.
	recountInterval = 100 * time.Millisecond
)

// account is the usage of one account.
type account struct {
	usage
	// waiting is how many of its requests are in the queue.
	waiting int64
	keys    map[string]*usage
	// lastSeen is when it last requested a slot.
	lastSeen time.Time
}

func (a *account) isIdle() bool { return a.requests == 0 && a.waiting == 0 }

// findUsage returns the account and the usage of the key. It adds them if they are
// missing.
func (g *Gate) findUsage(caller Caller) (*account, *usage) {
	a, ok := g.accounts[caller.Account]
	if !ok {
		if len(g.accounts) >= maxTracked {
			g.forgetIdleAccounts()
		}
		a = &account{keys: map[string]*usage{}}
		g.accounts[caller.Account] = a
		g.activeAccounts++
	}
	a.lastSeen = caller.Now
	k, ok := a.keys[caller.Key]
	if !ok {
		if len(a.keys) >= maxTracked {
			a.forgetIdleKeys()
		}
		k = &usage{}
		a.keys[caller.Key] = k
	}
	return a, k
}

func (g *Gate) forgetIdleAccounts() {
	for id, a := range g.accounts {
		if a.isIdle() {
			delete(g.accounts, id)
		}
	}
}

func (a *account) forgetIdleKeys() {
	for id, k := range a.keys {
		if k.requests == 0 {
			delete(a.keys, id)
		}
	}
}

// fairShare divides a limit by the number of active accounts. A single active
// account gets the whole limit. The number is at most recountInterval old.
func (g *Gate) fairShare(limit int64) int64 {
	if now := time.Now(); now.Sub(g.countedAt) >= recountInterval {
		g.countActiveAccounts(now)
	}
	return max(1, limit/max(1, g.activeAccounts))
}

func (g *Gate) countActiveAccounts(now time.Time) {
	g.activeAccounts, g.countedAt = 0, now
	for _, a := range g.accounts {
		if !a.isIdle() || now.Sub(a.lastSeen) < activeWindow {
			g.activeAccounts++
		}
	}
}

package limits

import (
	"hash/maphash"
	"maps"
	"slices"
	"sync"
)

// shardCount is the number of locks over which the accounts are spread.
const shardCount = 32

type shard struct {
	sync.RWMutex
	accounts map[string]*account
}

// findAccount returns the account with this id. It creates the account if necessary.
func (k *Limiter) findAccount(id string) *account {
	s := k.shardFor(id)
	s.RLock()
	a := s.accounts[id]
	s.RUnlock()
	if a != nil {
		return a
	}
	s.Lock()
	defer s.Unlock()
	if a = s.accounts[id]; a == nil {
		a = newAccount(id)
		s.accounts[id] = a
	}
	return a
}

func (k *Limiter) shardFor(id string) *shard {
	return &k.shards[maphash.String(k.seed, id)%shardCount]
}

// lockAccount returns an account with its lock held.
func (k *Limiter) lockAccount(id string) *account {
	for {
		a := k.findAccount(id)
		a.mu.Lock()
		if !a.removed {
			return a
		}
		a.mu.Unlock()
	}
}

// markActive adds a subject to the list that Run synchronizes, and marks the limit
// state as changed. The caller must hold a.mu.
func (k *Limiter) markActive(a *account, s *subject) {
	if !k.dirty.Load() {
		k.dirty.Store(true)
	}
	if k.counters == nil {
		return
	}
	if !s.active {
		s.active = true
		a.activeSubjects = append(a.activeSubjects, s)
	}
	if a.listed {
		return
	}
	a.listed = true
	k.mu.Lock()
	k.activeAccounts = append(k.activeAccounts, a)
	k.mu.Unlock()
}

// forEachAccount calls f with each account. The account is locked during the call.
func (k *Limiter) forEachAccount(f func(*account)) {
	for i := range k.shards {
		s := &k.shards[i]
		s.RLock()
		all := slices.Collect(maps.Values(s.accounts))
		s.RUnlock()
		for _, a := range all {
			a.mu.Lock()
			f(a)
			a.mu.Unlock()
		}
	}
}

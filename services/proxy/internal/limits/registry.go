package limits

import (
	"hash/maphash"
	"maps"
	"slices"
	"sync"
)

// shards is how many locks the accounts are spread over.
const shards = 32

type shard struct {
	sync.RWMutex
	accounts map[string]*account
}

// account finds an account or makes it.
func (k *Keeper) account(id string) *account {
	s := k.shard(id)
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

func (k *Keeper) shard(id string) *shard {
	return &k.shards[maphash.String(k.seed, id)%shards]
}

// lock returns an account, locked.
func (k *Keeper) lock(id string) *account {
	for {
		a := k.account(id)
		a.mu.Lock()
		if !a.gone {
			return a
		}
		a.mu.Unlock()
	}
}

// touch puts a subject on the list of those that Run looks after. Its account
// is locked.
func (k *Keeper) touch(a *account, s *subject) {
	if !k.changed.Load() {
		k.changed.Store(true)
	}
	if k.counters == nil {
		return
	}
	if !s.busy {
		s.busy = true
		a.busy = append(a.busy, s)
	}
	if a.active {
		return
	}
	a.active = true
	k.mu.Lock()
	k.actives = append(k.actives, a)
	k.mu.Unlock()
}

// everyAccount calls f with each, locked.
func (k *Keeper) everyAccount(f func(*account)) {
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

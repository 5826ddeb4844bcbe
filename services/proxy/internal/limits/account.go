package limits

import "sync"

// account holds the limit state of an account and its keys. One lock guards the
// whole state, so that a request reserves from both its key and its account, or
// reserves nothing. The lock is never held during a round trip to the shared counters.
type account struct {
	id string
	mu sync.Mutex
	// own is the limit state of the account itself.
	own  *subject
	keys map[string]*subject
	// groups holds the members of group budgets by CounterID.ID. It is nil without any.
	groups map[string]*subject
	// inFlight is closed when the running exchange with the shared counters ends. It is
	// nil if none is running.
	inFlight chan struct{}
	// gathered counts the gatherUpdates calls. Each call consumes the pending needs, so
	// a request that still waits must add its need again.
	gathered int64
	// activeSubjects holds the subjects (the account itself or its keys) that may have
	// updates for the shared counters.
	activeSubjects []*subject
	// listed means that the account is in Limiter.activeAccounts.
	listed bool
	// removed means that the Limiter drops the account and must not use it again.
	removed bool
}

func newAccount(id string) *account {
	return &account{id: id, own: newSubject(id, ScopeAccount, id), keys: map[string]*subject{}}
}

// keySubject returns the limit state of a key. It creates the state if necessary.
func (a *account) keySubject(id string) *subject {
	s := a.keys[id]
	if s == nil {
		s = newSubject(a.id, ScopeKey, id)
		a.keys[id] = s
	}
	return s
}

func (a *account) forEachSubject(f func(*subject)) {
	f(a.own)
	for _, s := range a.keys {
		f(s)
	}
	for _, s := range a.groups {
		f(s)
	}
}

func (a *account) forEachActive(f func(*subject)) {
	for _, s := range a.activeSubjects {
		f(s)
	}
}

// dropSynced removes from activeSubjects the subjects that have no more updates. It
// reports whether the account needs no more exchanges.
func (a *account) dropSynced(c *calendar) bool {
	kept := a.activeSubjects[:0]
	for _, s := range a.activeSubjects {
		s.dropSettledPeriods(c, false)
		if s.active = !s.isSynced(); s.active {
			kept = append(kept, s)
		}
	}
	clear(a.activeSubjects[len(kept):])
	a.activeSubjects = kept
	return len(kept) == 0 && a.inFlight == nil
}

// prune drops the keys and the members of group budgets that can be forgotten. It sets removed if the account can
// be forgotten too.
func (a *account) prune(now int64, c *calendar, alone bool) {
	a.forEachSubject(func(s *subject) { s.dropSettledPeriods(c, alone) })
	for id, s := range a.keys {
		if s.isForgettable(now, c) {
			delete(a.keys, id)
		}
	}
	for id, s := range a.groups {
		if s.isForgettable(now, c) {
			delete(a.groups, id)
		}
	}
	a.removed = len(a.keys) == 0 && len(a.groups) == 0 && a.own.isForgettable(now, c) && !a.listed && a.inFlight == nil
}

package limits

import "sync"

// account is all that is counted of an account and its keys. One lock guards
// it, so that a request takes what it needs of both or nothing; it is never
// held over a wait.
type account struct {
	id string
	mu sync.Mutex
	// own is the account itself.
	own  *subject
	keys map[string]*subject
	// flight is closed when the counters have answered; nil if nobody asks.
	// built counts how often what waiters want was put into one.
	flight chan struct{}
	built  int64
	// busy are those of whom the counters may have to be told; active is
	// whether the keeper has the account on its list for that.
	busy   []*subject
	active bool
	// gone is set when the keeper forgets it.
	gone bool
}

func newAccount(id string) *account {
	return &account{id: id, own: newSubject(id, ScopeAccount, id), keys: map[string]*subject{}}
}

// key finds a key's subject or makes it.
func (a *account) key(id string) *subject {
	s := a.keys[id]
	if s == nil {
		s = newSubject(a.id, ScopeKey, id)
		a.keys[id] = s
	}
	return s
}

// each calls f with the account and its keys.
func (a *account) each(f func(*subject)) {
	f(a.own)
	for _, s := range a.keys {
		f(s)
	}
}

// live calls f with those that are busy.
func (a *account) live(f func(*subject)) {
	for _, s := range a.busy {
		f(s)
	}
}

// calm drops those from the busy ones of whom the counters know all, and
// reports whether none is left.
func (a *account) calm() bool {
	kept := a.busy[:0]
	for _, s := range a.busy {
		s.settleOld(false)
		if s.busy = !s.rests(); s.busy {
			kept = append(kept, s)
		}
	}
	clear(a.busy[len(kept):])
	a.busy = kept
	return len(kept) == 0 && a.flight == nil
}

// prune forgets keys of which nothing is to be remembered, and is gone if that
// is all.
func (a *account) prune(now int64, c *calendar, alone bool) {
	a.each(func(s *subject) { s.settleOld(alone) })
	for id, s := range a.keys {
		if s.empty(now, c) {
			delete(a.keys, id)
		}
	}
	a.gone = len(a.keys) == 0 && a.own.empty(now, c) && !a.active && a.flight == nil
}

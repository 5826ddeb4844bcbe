package limits

import "github.com/signalbox/signalbox/pkg/saturate"

// subject is a key, an account or a member of a group budget, with the state of its limits.
type subject struct {
	id               CounterID
	limits           Set
	requests, tokens rate
	slots            pool
	// budgets holds the current budgets by window. An element is nil without such a budget.
	budgets [windowCount]*pool
	// pastBudgets holds earlier budgets until all requests that began in their
	// periods are settled and reported.
	pastBudgets []*pool
	stored      storedSpend
	// active is set while the subject is in its account's activeSubjects.
	active bool
	// admissions counts the admitted requests that have not finished.
	admissions int
}

// storedSpend is what a subject has spent according to the stored records, in the
// latest period of each window.
type storedSpend [windowCount]periodSpend

// periodSpend is the money spent in a period.
type periodSpend struct {
	period  string
	nanoUSD int64
}

// raiseTo replaces t by a later period, or by a higher sum for the same period.
func (t *periodSpend) raiseTo(to periodSpend) {
	if to.period > t.period || to.period == t.period && to.nanoUSD > t.nanoUSD {
		*t = to
	}
}

// applyTo copies the stored spend of the pool's period to the pool.
func (s *storedSpend) applyTo(p *pool) {
	for _, t := range s {
		if p.isBudget() && t.period == p.period {
			p.storedSpent = max(p.storedSpent, t.nanoUSD)
			p.externalSpent = max(p.externalSpent, saturate.Sub(p.storedSpent, p.ownSpent))
		}
	}
}

// raiseStored sets the stored spend of a period, in the subject and in the pool of that period.
func (s *subject) raiseStored(w windowKind, to periodSpend) {
	var one storedSpend
	one[w] = to
	s.forEachPool(one.applyTo)
	s.stored[w].raiseTo(to)
}

func newSubject(accountID, scope, id string) *subject {
	s := &subject{id: CounterID{AccountID: accountID, Scope: scope, ID: id}}
	s.requests.CounterID = s.counterID(RequestsPerMinute)
	s.tokens.CounterID = s.counterID(TokensPerMinute)
	s.slots.CounterID = s.counterID(ConcurrentRequests)
	return s
}

func (s *subject) counterID(limit string) CounterID {
	n := s.id
	n.Name = limit
	return n
}

// applyLimits sets the limits and switches to the current day and month.
func (s *subject) applyLimits(l *Set, c *calendar) {
	if s.limits != *l {
		s.limits = *l
		s.requests.setLimit(l.RequestsPerMinute)
		s.tokens.setLimit(l.TokensPerMinute)
		s.slots.setLimit(l.Concurrent)
	}
	for _, w := range [...]windowKind{dayWindow, monthWindow} {
		if limit := l.budget(w); limit > 0 {
			s.applyBudget(w, limit, c)
		}
	}
}

// applyBudget sets the budget of a window and switches to its current period.
func (s *subject) applyBudget(w windowKind, limit int64, c *calendar) *pool {
	p := s.poolForPeriod(s.budgets[w], c.periods[w], windowLimits[w])
	p.resetsAt = c.ends[w]
	p.setLimit(limit)
	s.budgets[w] = p
	return p
}

// poolForPeriod returns the pool of a period. Usually that is the current pool.
func (s *subject) poolForPeriod(current *pool, period, name string) *pool {
	if current != nil && current.period == period {
		return current
	}
	if current != nil {
		s.pastBudgets = append(s.pastBudgets, current)
	}
	for i, p := range s.pastBudgets {
		// If the clock was set back, the budget of the period is among the past ones.
		if p.period == period && p.Name == name {
			s.pastBudgets = append(s.pastBudgets[:i], s.pastBudgets[i+1:]...)
			return p
		}
	}
	p := &pool{CounterID: s.counterID(name), period: period}
	s.stored.applyTo(p)
	return p
}

func (s *subject) forEachPool(f func(*pool)) {
	f(&s.slots)
	for _, p := range s.budgets {
		if p != nil {
			f(p)
		}
	}
	for _, p := range s.pastBudgets {
		f(p)
	}
}

func (s *subject) isSynced() bool {
	synced := s.requests.isSynced() && s.tokens.isSynced()
	s.forEachPool(func(p *pool) { synced = synced && p.isSynced() })
	return synced
}

// dropSettledPeriods drops the past budgets that are settled and reported. If alone is
// set, there are no shared counters, so a settled budget is dropped at once.
func (s *subject) dropSettledPeriods(alone bool) {
	kept := s.pastBudgets[:0]
	for _, p := range s.pastBudgets {
		if p.reserved > 0 || !alone && !p.isSynced() {
			kept = append(kept, p)
		}
	}
	clear(s.pastBudgets[len(kept):])
	s.pastBudgets = kept
}

// isForgettable reports whether dropping the subject loses no state. The spend of a
// current period must be kept, because reports to the counters contain the total, not
// the increase.
func (s *subject) isForgettable(now int64, c *calendar) bool {
	if s.admissions > 0 || s.active || len(s.pastBudgets) > 0 || s.requests.local.usedTime(now) > 0 || s.tokens.local.usedTime(now) > 0 {
		return false
	}
	if s.requests.shared.usedTime(now) > 0 || s.tokens.shared.usedTime(now) > 0 {
		return false
	}
	for w, p := range s.budgets {
		if p != nil && p.period == c.periods[w] && p.ownSpent != 0 || s.stored[w].period == c.periods[w] {
			return false
		}
	}
	return true
}

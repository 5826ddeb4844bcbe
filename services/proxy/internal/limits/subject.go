package limits

import (
	"slices"

	"github.com/signalbox/signalbox/pkg/saturate"
)

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
	// amounts holds the amounts of a group budget. It is nil until a request needs them.
	amounts *[windowCount]int64
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

// applyLimits sets the limits except the budgets.
func (s *subject) applyLimits(l *Set) {
	if s.limits != *l {
		s.limits = *l
		s.requests.setLimit(l.RequestsPerMinute)
		s.tokens.setLimit(l.TokensPerMinute)
		s.slots.setLimit(l.Concurrent)
	}
}

// applyBudget sets the budget of a window and returns its pool for the period of c.
func (s *subject) applyBudget(w windowKind, limit int64, c *calendar) *pool {
	p := s.poolForPeriod(w, c.periods[w])
	p.resetsAt = c.ends[w]
	p.setLimit(limit)
	return p
}

// poolForPeriod returns the pool of a period. A later period replaces the current pool. An
// earlier one does not: a request may begin before the end of a period and need its budget
// after it.
func (s *subject) poolForPeriod(w windowKind, period string) *pool {
	current := s.budgets[w]
	if current != nil && current.period == period {
		return current
	}
	if current != nil && period < current.period {
		return s.pastPool(w, period)
	}
	if current != nil {
		s.pastBudgets = append(s.pastBudgets, current)
	}
	s.budgets[w] = s.newPool(w, period)
	return s.budgets[w]
}

// pastPool returns the pool of an earlier period. It is kept in pastBudgets.
func (s *subject) pastPool(w windowKind, period string) *pool {
	for _, p := range s.pastBudgets {
		if p.period == period && p.Name == windowLimits[w] {
			return p
		}
	}
	p := s.newPool(w, period)
	s.pastBudgets = append(s.pastBudgets, p)
	return p
}

func (s *subject) newPool(w windowKind, period string) *pool {
	p := &pool{CounterID: s.counterID(windowLimits[w]), period: period}
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
// set, there are no shared counters, so a settled budget is dropped at once. After the clock
// was set back, a past budget can be that of the current period. It is kept.
func (s *subject) dropSettledPeriods(c *calendar, alone bool) {
	kept := s.pastBudgets[:0]
	for _, p := range s.pastBudgets {
		if p.reserved > 0 || !alone && !p.isSynced() || slices.Contains(c.periods[:], p.period) {
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
		// A window without an amount limits nothing. The lifetime would never end.
		if s.amounts != nil && s.amounts[w] == 0 {
			continue
		}
		if p != nil && p.period == c.periods[w] && p.ownSpent != 0 || s.stored[w].period == c.periods[w] {
			return false
		}
	}
	return true
}

package limits

import (
	"context"
	"time"

	"github.com/signalbox/signalbox/pkg/saturate"
)

// Admission is an admitted request. One goroutine at a time may use it. A nil
// Admission has no limits.
type Admission struct {
	limiter *Limiter
	account *account
	// subjects holds the limit state of the key and of the account.
	subjects [2]*subject
	// groups holds the limit state of the group budgets.
	groups []*subject
	// calendar is that of the time at which the request began.
	calendar *calendar
	// The following arrays hold the caller's limits: first those of the key, then those
	// of the account. A nil element means no limit. The budgets are those of the day
	// and month in which the request began.
	requests, tokens [2]*rate
	slots            [2]*pool
	ownBudgets       [4]*pool
	// budgets holds ownBudgets and the budgets of the groups.
	budgets []*pool
	// reservedTokens and reservedNanoUSD are the sums of all Reserve calls.
	reservedTokens, reservedNanoUSD int64
	// reservedAt is the instant of the first Reserve call.
	reservedAt        int64
	settled, released bool
	// strict means that the account's budgets are hard: see Caller.Strict.
	strict bool
}

// bindLimits fills in the limits that apply to c. p.account.mu must be held.
func (p *Admission) bindLimits(c *Caller, cal *calendar) {
	p.subjects, p.strict = [2]*subject{p.account.keySubject(c.KeyID), p.account.own}, c.Strict
	p.calendar, p.budgets = cal, p.ownBudgets[:]
	for i, set := range [2]*Set{&c.Key, &c.Account} {
		s := p.subjects[i]
		s.applyLimits(set)
		if set.RequestsPerMinute > 0 {
			p.requests[i] = &s.requests
		}
		if set.TokensPerMinute > 0 {
			p.tokens[i] = &s.tokens
		}
		if set.Concurrent > 0 {
			p.slots[i] = &s.slots
		}
		for n, w := range [...]windowKind{dayWindow, monthWindow} {
			if limit := set.budget(w); limit > 0 {
				b := s.applyBudget(w, limit, cal)
				b.strict = c.Strict
				p.ownBudgets[2*i+n] = b
			}
		}
	}
}

// addAdmissions adds n to the running admissions of all subjects. A subject with
// a running admission is not dropped.
func (p *Admission) addAdmissions(n int) {
	p.subjects[0].admissions += n
	p.subjects[1].admissions += n
	for _, s := range p.groups {
		s.admissions += n
	}
}

// markActive makes Run synchronize all subjects with the counters that all proxies share.
func (p *Admission) markActive() {
	p.limiter.markActive(p.account, p.subjects[0])
	p.limiter.markActive(p.account, p.subjects[1])
	for _, s := range p.groups {
		p.limiter.markActive(p.account, s)
	}
}

// BudgetUsed returns the used part of the most used budget, in thousandths. It
// returns nil if there is no budget.
func (p *Admission) BudgetUsed() *int64 {
	if p == nil {
		return nil
	}
	p.account.mu.Lock()
	defer p.account.mu.Unlock()
	var fullest *int64
	for _, m := range p.budgets {
		if m == nil {
			continue
		}
		if used := saturate.MulDiv(m.totalSpent(), 1000, m.limit); fullest == nil || used > *fullest {
			fullest = &used
		}
	}
	return fullest
}

// Reserve reserves the estimated tokens and cost from all limits. If one limit has
// too little, it reserves nothing. Further calls add to the reservation.
func (p *Admission) Reserve(ctx context.Context, tokens, nanoUSD int64) error {
	if p == nil {
		return nil
	}
	// Reserve at least 1 nano-USD, so that an exhausted budget rejects even free
	// requests.
	tokens, nanoUSD = max(0, tokens), max(1, nanoUSD)
	if err := p.reserveLocked(ctx, tokens, nanoUSD, p.limiter.now()); err != nil {
		return err
	}
	if p.strict {
		return p.limiter.saveNow()
	}
	return nil
}

func (p *Admission) reserveLocked(ctx context.Context, tokens, nanoUSD int64, now time.Time) error {
	p.account.mu.Lock()
	defer p.account.mu.Unlock()
	if err := p.limiter.reserve(ctx, p, &demand{rates: p.tokens, units: tokens, pools: p.budgets, amount: nanoUSD}, now); err != nil {
		return err
	}
	if p.reservedNanoUSD == 0 {
		p.reservedAt = p.limiter.toInstant(now)
	}
	p.reservedTokens, p.reservedNanoUSD = saturate.Add(p.reservedTokens, tokens), saturate.Add(p.reservedNanoUSD, nanoUSD)
	return nil
}

// Settle replaces the reservation by the actual use. Further calls do nothing.
func (p *Admission) Settle(tokens, nanoUSD int64) {
	if p == nil {
		return
	}
	p.account.mu.Lock()
	defer p.account.mu.Unlock()
	if !p.settled {
		p.settleLocked(max(0, tokens), max(0, nanoUSD), p.limiter.toInstant(p.limiter.now()))
	}
}

func (p *Admission) settleLocked(tokens, nanoUSD, now int64) {
	p.settled = true
	m := p.limiter.currentMode()
	for _, r := range p.tokens {
		if r != nil {
			r.settle(p.reservedTokens, tokens, now-p.reservedAt, now, m)
		}
	}
	for _, b := range p.budgets {
		if b != nil {
			b.settle(p.reservedNanoUSD, nanoUSD, now)
		}
	}
	p.markActive()
}

// Release ends the request. It frees the slot and, if Settle was not called, the
// reservation. Further calls do nothing.
func (p *Admission) Release() {
	if p == nil {
		return
	}
	p.account.mu.Lock()
	defer p.account.mu.Unlock()
	if p.released {
		return
	}
	p.released = true
	now := p.limiter.toInstant(p.limiter.now())
	if !p.settled {
		p.settleLocked(0, 0, now)
	}
	for _, slots := range p.slots {
		if slots != nil {
			slots.settle(1, 0, now)
		}
	}
	p.markActive()
	p.addAdmissions(-1)
}

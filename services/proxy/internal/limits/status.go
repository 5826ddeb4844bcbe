package limits

import (
	"time"

	"github.com/signalbox/signalbox/pkg/saturate"
)

// Statuses returns the state of the caller's limits, those of the key first.
func (p *Admission) Statuses() []Status {
	if p == nil {
		return nil
	}
	p.account.mu.Lock()
	defer p.account.mu.Unlock()
	t := p.limiter.now()
	now, m := p.limiter.toInstant(t), p.limiter.currentMode()
	var list []Status
	for i := range 2 {
		for _, r := range [...]*rate{p.requests[i], p.tokens[i]} {
			if r != nil {
				list = append(list, r.status(now, m))
			}
		}
		for _, b := range [...]*pool{p.slots[i], p.ownBudgets[2*i], p.ownBudgets[2*i+1]} {
			if b != nil {
				list = append(list, b.status(t, m))
			}
		}
	}
	return list
}

func (r *rate) status(now int64, m mode) Status {
	left, reset := r.remaining(now, m)
	return Status{Scope: r.Scope, Name: r.Name, Limit: r.limit, Remaining: left, Reset: reset}
}

func (p *pool) status(now time.Time, m mode) Status {
	out := Status{Scope: p.Scope, Name: p.Name, Limit: p.limit, Remaining: p.remaining(m)}
	if p.isBudget() {
		out.Reset = max(0, p.resetsAt.Sub(now))
	}
	return out
}

// remaining returns how much of the limit is left, as far as this proxy can tell. While the
// shared counters are unavailable, it is the rest of this proxy's share.
func (p *pool) remaining(m mode) int64 {
	left := p.available(m)
	if !m.standalone && !m.unavailable {
		left = saturate.Add(max(0, left), p.sharedFree)
		if !p.hasGrant {
			left = saturate.Sub(p.limit, p.totalSpent())
		}
	}
	return min(max(0, left), p.limit)
}

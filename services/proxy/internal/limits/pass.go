package limits

import "context"

// Pass is an admitted request. Its methods are for one goroutine at a time; a
// nil Pass has no limits.
type Pass struct {
	k *Keeper
	a *account
	// of are the key and the account.
	of [2]*subject
	// What the caller has limits for, of the key first; nil for the others.
	// Money is that of the day and month in which the request began.
	requests, tokens [2]*rate
	places           [2]*pool
	money            [4]*pool
	// What is reserved, and since when.
	units, nano, since int64
	settled, left      bool
}

// prepare finds the meters of the caller. The account is locked.
func (p *Pass) prepare(c *Caller, cal *calendar) {
	p.of = [2]*subject{p.a.key(c.KeyID), p.a.own}
	for i, set := range [2]*Set{&c.Key, &c.Account} {
		of := p.of[i]
		of.prepare(set, cal)
		if set.RequestsPerMinute > 0 {
			p.requests[i] = &of.requests
		}
		if set.TokensPerMinute > 0 {
			p.tokens[i] = &of.tokens
		}
		if set.Concurrent > 0 {
			p.places[i] = &of.places
		}
		if set.NanoUSDPerDay > 0 {
			p.money[2*i] = of.day
		}
		if set.NanoUSDPerMonth > 0 {
			p.money[2*i+1] = of.month
		}
	}
}

// count keeps the subjects from being forgotten while the pass is out.
func (p *Pass) count(n int) {
	p.of[0].passes += n
	p.of[1].passes += n
}

// touch has the keeper look after the subjects.
func (p *Pass) touch() {
	p.k.touch(p.a, p.of[0])
	p.k.touch(p.a, p.of[1])
}

// BudgetUsed is how much of the fullest budget is spent, in thousandths; nil
// if there is no budget.
func (p *Pass) BudgetUsed() *int64 {
	if p == nil {
		return nil
	}
	p.a.mu.Lock()
	defer p.a.mu.Unlock()
	var fullest *int64
	for _, m := range p.money {
		if m == nil {
			continue
		}
		if used := mulDiv(m.spending(), 1000, m.limit); fullest == nil || used > *fullest {
			fullest = &used
		}
	}
	return fullest
}

// Reserve takes what the request is expected to use, of every limit or of
// none. A further call adds to it.
func (p *Pass) Reserve(ctx context.Context, tokens, nanoUSD int64) error {
	if p == nil {
		return nil
	}
	// A budget that is used up has nothing even for what costs nothing.
	tokens, nanoUSD = max(0, tokens), max(1, nanoUSD)
	now := p.k.now()
	p.a.mu.Lock()
	defer p.a.mu.Unlock()
	if err := p.k.take(ctx, p, &demand{rates: p.tokens, units: tokens, pools: p.money, amount: nanoUSD}, now); err != nil {
		return err
	}
	if p.nano == 0 {
		p.since = p.k.instant(now)
	}
	p.units, p.nano = add(p.units, tokens), add(p.nano, nanoUSD)
	return nil
}

// Settle counts what it has used instead. The first call counts.
func (p *Pass) Settle(tokens, nanoUSD int64) {
	if p == nil {
		return
	}
	p.a.mu.Lock()
	defer p.a.mu.Unlock()
	if !p.settled {
		p.settle(max(0, tokens), max(0, nanoUSD), p.k.instant(p.k.now()))
	}
}

func (p *Pass) settle(tokens, nanoUSD, now int64) {
	p.settled = true
	m := p.k.mode()
	for _, r := range p.tokens {
		if r != nil {
			r.settle(p.units, tokens, now-p.since, now, m)
		}
	}
	for _, b := range p.money {
		if b != nil {
			b.settle(p.nano, nanoUSD, now)
		}
	}
	p.touch()
}

// Leave ends the request: its place is free, and so is what it had reserved
// if it did not settle. The first call counts.
func (p *Pass) Leave() {
	if p == nil {
		return
	}
	p.a.mu.Lock()
	defer p.a.mu.Unlock()
	if p.left {
		return
	}
	p.left = true
	now := p.k.instant(p.k.now())
	if !p.settled {
		p.settle(0, 0, now)
	}
	for _, place := range p.places {
		if place != nil {
			place.settle(1, 0, now)
		}
	}
	p.touch()
	p.count(-1)
}

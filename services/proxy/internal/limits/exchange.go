package limits

import (
	"context"
	"slices"
)

// batch is what is said to the counters at once, with the meters it is about.
type batch struct {
	rates  []RateAsk
	holds  []HoldAsk
	rateOf []*rate
	poolOf []*pool
	of     []part
}

// part is one account's.
type part struct {
	*account
	rates, holds int
}

// gather adds what is to be said of an account, and marks it as asked for; end
// gives back everything that no request uses. The account is locked.
func (k *Keeper) gather(b *batch, a *account, now int64, end bool) {
	rates, holds, m := len(b.rates), len(b.holds), k.mode()
	a.live(func(s *subject) {
		b.rate(&s.requests, now, m, end)
		b.rate(&s.tokens, now, m, end)
		s.pools(func(p *pool) { k.hold(b, p, now, end) })
	})
	a.built++
	if len(b.rates) == rates && len(b.holds) == holds {
		return
	}
	a.flight = make(chan struct{})
	b.of = append(b.of, part{a, rates, holds})
}

func (b *batch) rate(r *rate, now int64, m mode, end bool) {
	if ask, ok := r.ask(now, m, end); ok {
		b.rates, b.rateOf = append(b.rates, ask), append(b.rateOf, r)
	}
}

func (k *Keeper) hold(b *batch, p *pool, now int64, end bool) {
	if ask, ok := p.ask(now, end); ok {
		ask.Number = k.number.Add(1)
		b.holds, b.poolOf = append(b.holds, ask), append(b.poolOf, p)
	}
}

// fly asks for one account, which is locked before and after.
func (k *Keeper) fly(ctx context.Context, a *account) {
	var b batch
	k.gather(&b, a, k.instant(k.now()), false)
	if len(b.of) == 0 {
		return
	}
	a.mu.Unlock()
	k.send(ctx, &b)
	a.mu.Lock()
}

// send asks the counters and spreads their answer. No account is locked.
func (k *Keeper) send(ctx context.Context, b *batch) {
	ctx, cancel := context.WithTimeout(ctx, k.patience)
	defer cancel()
	rates, holds, err := k.counters.Exchange(ctx, b.rates, b.holds)
	ok := err == nil && len(rates) == len(b.rates) && len(holds) == len(b.holds)
	if !ok {
		k.lose(err)
	}
	for i, p := range b.of {
		endRates, endHolds := len(b.rates), len(b.holds)
		if i+1 < len(b.of) {
			endRates, endHolds = b.of[i+1].rates, b.of[i+1].holds
		}
		p.mu.Lock()
		now := k.instant(k.now())
		for j := p.rates; j < endRates; j++ {
			if ok {
				b.rateOf[j].answered(&b.rates[j], rates[j], now)
			} else {
				b.rateOf[j].failed(&b.rates[j])
			}
		}
		for j := p.holds; j < endHolds && ok; j++ {
			b.poolOf[j].answered(&b.holds[j], holds[j], now)
		}
		close(p.flight)
		p.flight = nil
		p.mu.Unlock()
	}
}

// lose notes that the counters do not answer: nobody waits for them until Run
// has found that they do again.
func (k *Keeper) lose(err error) {
	k.behind.Store(true)
	if k.away.Swap(true) {
		return
	}
	k.log.Warn("limits: the shared counters do not answer; counting by this proxy's share", "error", err, "proxies", k.n.Load())
}

// report tells the counters what money was spent and is held without them,
// while every proxy still goes by its share. It is told again in full when they
// are used again, so their answer does not matter.
func (k *Keeper) report(ctx context.Context) bool {
	var asks []HoldAsk
	k.everyAccount(func(a *account) {
		a.each(func(s *subject) {
			s.pools(func(p *pool) {
				if p.money() && !p.unused() {
					asks = append(asks, p.report(k.number.Add(1)))
				}
			})
		})
	})
	for some := range slices.Chunk(asks, together) {
		ctx, cancel := context.WithTimeout(ctx, connecting)
		_, _, err := k.counters.Exchange(ctx, nil, some)
		cancel()
		if err != nil {
			return false
		}
	}
	return true
}

// regain goes back to the shared counters. What they have of this proxy may be
// old or lost, so all of it is told again, and what is spare asked for anew.
func (k *Keeper) regain(ctx context.Context) {
	if k.away.Swap(false) {
		k.log.Info("limits: the shared counters answer again")
	}
	k.everyAccount(func(a *account) {
		a.each(func(s *subject) {
			s.pools((*pool).again)
			k.touch(a, s)
		})
	})
	k.sync(ctx, false)
	k.behind.Store(k.away.Load())
}

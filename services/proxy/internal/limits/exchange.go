package limits

import (
	"context"
	"slices"
)

// batch holds the updates of one round trip. rateLimits[i] is the limit of rates[i],
// and pools[i] is the limit of holds[i].
type batch struct {
	rates      []RateUpdate
	holds      []HoldUpdate
	rateLimits []*rate
	pools      []*pool
	parts      []accountPart
}

// accountPart is one account in a batch. The fields rates and holds are the
// indexes of its first updates in batch.rates and batch.holds.
type accountPart struct {
	*account
	rates, holds int
}

// gatherUpdates adds the updates of an account to b. If there are any, it marks the
// account's exchange as running. If final is set, the updates give up everything that
// no request uses. The caller must hold a.mu.
func (k *Limiter) gatherUpdates(b *batch, a *account, now int64, final bool) {
	rates, holds, m := len(b.rates), len(b.holds), k.currentMode()
	a.forEachActive(func(s *subject) {
		b.addRateUpdate(&s.requests, now, m, final)
		b.addRateUpdate(&s.tokens, now, m, final)
		s.forEachPool(func(p *pool) { k.addHoldUpdate(b, p, now, final) })
	})
	a.gathered++
	if len(b.rates) == rates && len(b.holds) == holds {
		return
	}
	a.inFlight = make(chan struct{})
	b.parts = append(b.parts, accountPart{a, rates, holds})
}

func (b *batch) addRateUpdate(r *rate, now int64, m mode, final bool) {
	if update, ok := r.nextUpdate(now, m, final); ok {
		b.rates, b.rateLimits = append(b.rates, update), append(b.rateLimits, r)
	}
}

func (k *Limiter) addHoldUpdate(b *batch, p *pool, now int64, final bool) {
	if update, ok := p.nextUpdate(now, final); ok {
		update.Sequence = k.updateSeq.Add(1)
		b.holds, b.pools = append(b.holds, update), append(b.pools, p)
	}
}

// exchangeAccount sends the updates of one account. The caller must hold a.mu,
// which is unlocked during the round trip.
func (k *Limiter) exchangeAccount(ctx context.Context, a *account) {
	var b batch
	k.gatherUpdates(&b, a, k.toInstant(k.now()), false)
	if len(b.parts) == 0 {
		return
	}
	a.mu.Unlock()
	k.exchangeBatch(ctx, &b)
	a.mu.Lock()
}

// exchangeBatch sends a batch and applies the grants. The caller must not hold the
// lock of any account.
func (k *Limiter) exchangeBatch(ctx context.Context, b *batch) {
	ctx, cancel := context.WithTimeout(ctx, k.counterTimeout)
	defer cancel()
	rates, holds, err := k.counters.Exchange(ctx, b.rates, b.holds)
	ok := err == nil && len(rates) == len(b.rates) && len(holds) == len(b.holds)
	if !ok {
		k.markUnavailable(err)
	}
	for i, p := range b.parts {
		endRates, endHolds := len(b.rates), len(b.holds)
		if i+1 < len(b.parts) {
			endRates, endHolds = b.parts[i+1].rates, b.parts[i+1].holds
		}
		p.mu.Lock()
		now := k.toInstant(k.now())
		for j := p.rates; j < endRates; j++ {
			if ok {
				b.rateLimits[j].applyGrant(&b.rates[j], rates[j], now)
			} else {
				b.rateLimits[j].undoUpdate(&b.rates[j])
			}
		}
		for j := p.holds; j < endHolds && ok; j++ {
			b.pools[j].applyGrant(&b.holds[j], holds[j], now)
		}
		close(p.inFlight)
		p.inFlight = nil
		p.mu.Unlock()
	}
}

// markUnavailable records that the shared counters do not respond. Until Run finds that
// they respond again, requests do not wait for them.
func (k *Limiter) markUnavailable(err error) {
	k.degraded.Store(true)
	if k.unavailable.Swap(true) {
		return
	}
	k.log.Warn("limits: shared counters unavailable, using this proxy's share", "error", err, "proxies", k.proxies.Load())
}

// reportOfflineSpend reports the spend and the holds of all budgets to shared counters that
// respond again after an outage. Until resumeShared is called, every proxy still uses
// its share of the limits. The grants are ignored, because resumeShared sends
// everything again. reportOfflineSpend returns false if an exchange fails, or if an account
// still has one running: its grant would not be part of the report, which would give it up.
func (k *Limiter) reportOfflineSpend(ctx context.Context) bool {
	var updates []HoldUpdate
	idle := true
	k.forEachAccount(func(a *account) {
		idle = idle && a.inFlight == nil
		a.forEachSubject(func(s *subject) {
			s.forEachPool(func(p *pool) {
				if p.isBudget() && !p.isUntouched() {
					updates = append(updates, p.offlineReport(k.updateSeq.Add(1)))
				}
			})
		})
	})
	if !idle {
		return false
	}
	for chunk := range slices.Chunk(updates, accountsPerExchange) {
		ctx, cancel := context.WithTimeout(ctx, reconnectTimeout)
		_, _, err := k.counters.Exchange(ctx, nil, chunk)
		cancel()
		if err != nil {
			return false
		}
	}
	return true
}

// resumeShared uses the shared counters again. Their data about this proxy may be old
// or lost, so resumeShared sends everything again. It also gives up all amounts that
// were held in advance; the next updates request new ones.
func (k *Limiter) resumeShared(ctx context.Context) {
	if k.unavailable.Swap(false) {
		k.log.Info("limits: shared counters available again")
	}
	k.forEachAccount(func(a *account) {
		a.forEachSubject(func(s *subject) {
			s.forEachPool((*pool).markForResync)
			k.markActive(a, s)
		})
	})
	k.syncActive(ctx, false)
	k.degraded.Store(k.unavailable.Load())
}

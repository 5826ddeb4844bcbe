package limits

import (
	"context"
	"errors"
	"slices"
	"time"
)

// batch holds the updates of some accounts. rateLimits[i] is the limit of rates[i],
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
	k.exchangeBatch(ctx, &b, k.counterTimeout)
	a.mu.Lock()
}

// sendChunks sends the updates of a batch in chunks. Each chunk may take as long as wait. After
// an error, it returns the grants of the chunks before.
func (k *Limiter) sendChunks(ctx context.Context, b *batch, wait time.Duration) (rates []RateGrant, holds []HoldGrant, err error) {
	for err == nil && (len(rates) < len(b.rates) || len(holds) < len(b.holds)) {
		someRates := b.rates[len(rates):min(len(b.rates), len(rates)+updatesPerExchange)]
		someHolds := b.holds[len(holds):min(len(b.holds), len(holds)+updatesPerExchange-len(someRates))]
		var moreRates []RateGrant
		var moreHolds []HoldGrant
		if moreRates, moreHolds, err = k.sendChunk(ctx, someRates, someHolds, wait); err == nil {
			rates, holds = append(rates, moreRates...), append(holds, moreHolds...)
		}
	}
	return rates, holds, err
}

func (k *Limiter) sendChunk(ctx context.Context, rates []RateUpdate, holds []HoldUpdate, wait time.Duration) ([]RateGrant, []HoldGrant, error) {
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	rateGrants, holdGrants, err := k.counters.Exchange(ctx, rates, holds)
	if err == nil && (len(rateGrants) != len(rates) || len(holdGrants) != len(holds)) {
		err = errors.New("limits: the counters returned another number of grants")
	}
	return rateGrants, holdGrants, err
}

// exchangeBatch sends a batch and applies the grants. The caller must not hold the
// lock of any account.
func (k *Limiter) exchangeBatch(ctx context.Context, b *batch, wait time.Duration) {
	rates, holds, err := k.sendChunks(ctx, b, wait)
	if err != nil {
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
			if j < len(rates) {
				b.rateLimits[j].applyGrant(&b.rates[j], rates[j], now)
			} else {
				b.rateLimits[j].undoUpdate(&b.rates[j])
			}
		}
		for j := p.holds; j < min(endHolds, len(holds)); j++ {
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
	for chunk := range slices.Chunk(updates, updatesPerExchange) {
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
// were held in advance; the next updates request new ones. That can be many updates, so each
// chunk has the longer timeout. The limiter is degraded until all chunks are done.
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
	k.syncActive(ctx, false, reconnectTimeout)
	k.degraded.Store(k.unavailable.Load())
}

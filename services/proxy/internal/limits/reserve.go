package limits

import (
	"context"
	"time"

	"github.com/signalbox/signalbox/pkg/saturate"
)

// demand is what a request reserves in one step: units from each rate and amount
// from each pool. Limits that do not apply are nil.
type demand struct {
	rates  [2]*rate
	units  int64
	pools  []*pool
	amount int64
}

// reserve takes the whole demand or nothing. The caller must hold the account's
// lock, which is released while the request waits for the counters. After the
// timeout or when ctx ends, reserve decides without the counters.
func (k *Limiter) reserve(ctx context.Context, p *Admission, d *demand, began time.Time) error {
	a, now, m := p.account, k.toInstant(began), k.currentMode()
	lastGathered := int64(-1)
	for {
		p.markActive()
		if d.canReserve(now, m) {
			d.take(now, m)
			return nil
		}
		if m.standalone || m.unavailable || d.isKnownShort(now) {
			return d.exceededLimitError(k.now(), now, m)
		}
		if lastGathered != a.gathered {
			d.addPending(now, m)
			lastGathered = a.gathered
		}
		k.awaitCounters(ctx, a)
		t := k.now()
		now, m = k.toInstant(t), k.currentMode()
		m.unavailable = m.unavailable || t.Sub(began) >= k.counterTimeout || ctx.Err() != nil
	}
}

// canReserve reports whether the whole demand is available.
func (d *demand) canReserve(now int64, m mode) bool {
	for _, r := range d.rates {
		if r != nil && !r.canTake(d.units, now, m) {
			return false
		}
	}
	for _, p := range d.pools {
		if p != nil && p.available(m) < d.amount {
			return false
		}
	}
	return true
}

func (d *demand) take(now int64, m mode) {
	for _, r := range d.rates {
		if r != nil {
			r.take(d.units, now, m)
		}
	}
	for _, p := range d.pools {
		if p != nil {
			p.reserve(d.amount, now)
		}
	}
}

// isKnownShort reports whether it is useless to wait for the counters: the demand
// exceeds a rate limit, or the counters recently had too little for the demand.
func (d *demand) isKnownShort(now int64) bool {
	for _, r := range d.rates {
		if r != nil && d.units > r.lease && (d.units > r.limit || r.shortage.covers(d.units, now)) {
			return true
		}
	}
	for _, p := range d.pools {
		if p != nil && d.amount > saturate.Sub(p.held, p.reserved) && p.shortage.covers(d.amount, now) {
			return true
		}
	}
	return false
}

// addPending adds the demand to the next update of every limit that has too little. The other
// limits must keep what the request needs. If one gave it up while another one got its part, the
// request would wait in turn for one and the other until its timeout.
func (d *demand) addPending(now int64, m mode) {
	for _, r := range d.rates {
		switch {
		case r == nil:
		case r.canTake(d.units, now, m):
			r.covered = saturate.Add(r.covered, d.units)
		default:
			r.pending.add(d.units)
		}
	}
	for _, p := range d.pools {
		switch {
		case p == nil:
		case p.available(m) >= d.amount:
			p.covered.add(d.amount)
		default:
			p.pending.add(d.amount)
		}
	}
}

// awaitCounters sends the account's updates, or waits for the exchange that is
// already running. The account is unlocked while it waits.
func (k *Limiter) awaitCounters(ctx context.Context, a *account) {
	if a.inFlight == nil {
		// Other requests wait for the response too, so the end of this request must
		// not cancel the exchange.
		k.exchangeAccount(context.WithoutCancel(ctx), a)
		return
	}
	flight := a.inFlight
	a.mu.Unlock()
	defer a.mu.Lock()
	timer := time.NewTimer(k.counterTimeout)
	defer timer.Stop()
	select {
	case <-flight:
	case <-timer.C:
	case <-ctx.Done():
	}
}

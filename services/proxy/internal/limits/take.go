package limits

import (
	"context"
	"time"
)

// patience is how long a request waits for the counters before it is judged
// without them.
const patience = 50 * time.Millisecond

// demand is what a request needs at once. Missing meters are nil.
type demand struct {
	rates  [2]*rate
	units  int64
	pools  [4]*pool
	amount int64
}

// take takes all of it or nothing. The account is locked; it is unlocked
// while the counters are waited for. Who does not want to wait any longer is
// judged without them.
func (k *Keeper) take(ctx context.Context, p *Pass, d *demand, began time.Time) error {
	a, now, m := p.a, k.instant(began), k.mode()
	asked := int64(-1)
	for {
		p.touch()
		if d.fits(now, m) {
			d.take(now, m)
			return nil
		}
		if m.alone || m.away || d.hopeless(now) {
			return d.refusal(k.now(), now, m)
		}
		if asked != a.built {
			d.ask(now, m)
			asked = a.built
		}
		k.consult(ctx, a)
		t := k.now()
		now, m = k.instant(t), k.mode()
		m.away = m.away || t.Sub(began) >= k.patience || ctx.Err() != nil
	}
}

// fits is whether all of it is there.
func (d *demand) fits(now int64, m mode) bool {
	for _, r := range d.rates {
		if r != nil && !r.fits(d.units, now, m) {
			return false
		}
	}
	for _, p := range d.pools {
		if p != nil && p.room(m) < d.amount {
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
			p.take(d.amount, now)
		}
	}
}

// hopeless is whether it is known that the counters have not enough.
func (d *demand) hopeless(now int64) bool {
	for _, r := range d.rates {
		if r != nil && d.units > r.lease && (d.units > r.limit || r.short.of(d.units, now)) {
			return true
		}
	}
	for _, p := range d.pools {
		if p != nil && d.amount > sub(p.held, p.reserved) && p.short.of(d.amount, now) {
			return true
		}
	}
	return false
}

// ask puts what is missing on the list for the counters.
func (d *demand) ask(now int64, m mode) {
	for _, r := range d.rates {
		if r != nil && !r.fits(d.units, now, m) {
			r.want.add(d.units)
		}
	}
	for _, p := range d.pools {
		if p != nil && p.room(m) < d.amount {
			p.want.add(d.amount)
		}
	}
}

// consult asks the counters for what is wanted of the account, or waits for
// the one who does. It is unlocked meanwhile.
func (k *Keeper) consult(ctx context.Context, a *account) {
	if a.flight == nil {
		// Others wait for the answer too.
		k.fly(context.WithoutCancel(ctx), a)
		return
	}
	flight := a.flight
	a.mu.Unlock()
	defer a.mu.Lock()
	timer := time.NewTimer(k.patience)
	defer timer.Stop()
	select {
	case <-flight:
	case <-timer.C:
	case <-ctx.Done():
	}
}

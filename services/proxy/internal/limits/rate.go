package limits

import "time"

const (
	// leaseAge is how long granted units may be used; what is left goes back.
	// It is by how much a unit may be used later than the counters believe.
	leaseAge = int64(time.Second)
	// leasePart of a limit is the most that is leased ahead.
	leasePart = 20
)

// rate is a limit per minute. Units come from a lease, which is spent as far
// as all others are concerned; without shared counters from a bucket. Its
// account's lock guards it.
type rate struct {
	Subject
	limit int64
	// lease are the units in hand, leased when they came.
	lease, leased int64
	// owed were used without a grant.
	owed int64
	// seen is the shared counter as it was last told.
	seen bucket
	// own is counted here: everything where there are no shared counters, and
	// this proxy's share while they are away. used is how much that was.
	own   bucket
	local bool
	used  int64
	pace  pace
	want  want
	short short
}

// set changes the limit. The lease is dropped: it was measured by the old one.
// Without a limit nothing is owed.
func (r *rate) set(limit int64) {
	if r.limit != limit {
		r.limit, r.lease, r.short = limit, 0, short{}
	}
	if limit == 0 {
		r.owed, r.used, r.want = 0, 0, want{}
	}
}

// shift follows the counters' going and coming. Gone, this proxy's share is as
// used up as the whole was; back, they are told what was used meanwhile, as
// far as time has not made up for it.
func (r *rate) shift(now int64, m mode) {
	if m.alone || r.local == m.away {
		return
	}
	r.local = m.away
	if m.away {
		r.own.full = max(r.own.full, r.seen.full)
		return
	}
	r.owed = add(r.owed, min(r.used, units(r.own.used(now), m.share(r.limit))))
	r.used = 0
}

func (r *rate) fits(n, now int64, m mode) bool {
	// The limit may have gone while a request waited.
	if r.limit == 0 {
		return true
	}
	r.shift(now, m)
	if !m.alone && !m.away {
		return n <= r.lease
	}
	share := m.share(r.limit)
	// What fits the limit must be able to pass, even if it exceeds a share.
	whole := r.own.used(now) == 0 && n <= r.limit
	return whole || sub(n, r.lease) <= r.own.room(now, share)
}

// take takes what fits.
func (r *rate) take(n, now int64, m mode) {
	r.pace.note(now, n)
	leased := min(n, r.lease)
	r.lease -= leased
	r.count(n-leased, now, m)
}

// count takes n of what is counted here.
func (r *rate) count(n, now int64, m mode) {
	if n == 0 || r.limit == 0 {
		return
	}
	if !m.alone && !m.away {
		r.owed = add(r.owed, n)
		return
	}
	r.own.add(now, n, m.share(r.limit))
	r.used = add(r.used, n)
}

// settle replaces what was taken some time ago. Of what was not used only so
// much comes back as that time has not brought back anyway: more would let
// others use it twice.
func (r *rate) settle(taken, actual, age, now int64, m mode) {
	if r.limit == 0 {
		return
	}
	r.shift(now, m)
	unused := sub(taken, actual)
	if unused < 0 {
		more := -unused
		leased := min(more, r.lease)
		r.lease -= leased
		r.count(more-leased, now, m)
		return
	}
	unused -= min(unused, units(age, r.limit))
	if m.alone {
		r.own.back(now, unused, r.limit)
		return
	}
	if r.lease == 0 {
		r.leased = now
	}
	r.lease = add(r.lease, unused)
}

// target is how much a lease should have.
func (r *rate) target(now int64) int64 {
	return min(r.limit/leasePart, r.pace.recent(now))
}

// ask is what is to be said to the counters; false if nothing is.
func (r *rate) ask(now int64, m mode, end bool) (RateAsk, bool) {
	if r.limit == 0 {
		return RateAsk{}, false
	}
	r.shift(now, m)
	a := RateAsk{Subject: r.Subject, Limit: r.limit, Debit: r.owed, Seen: time.Duration(r.seen.used(now))}
	target := r.target(now)
	switch {
	case end:
		a.Back = r.lease
	case r.want.sum > 0:
		a.Least, a.Want = max(1, r.want.least-r.lease), max(r.want.sum, target)
	case now-r.leased >= leaseAge:
		a.Back = r.lease
	case r.lease > max(1, r.limit/leasePart):
		a.Back = r.lease - max(1, r.limit/leasePart)
	case r.lease < target && !r.short.of(1, now):
		a.Want = target - r.lease
	}
	if a.Want == 0 && a.Back == 0 && a.Debit == 0 {
		return a, false
	}
	r.lease, r.owed, r.want = r.lease-a.Back, 0, want{}
	return a, true
}

// failed takes an ask back. It may have been done: what was owed is then
// counted twice, and what was given back is lost until a minute has passed.
func (r *rate) failed(a *RateAsk) { r.owed = add(r.owed, a.Debit) }

func (r *rate) answered(a *RateAsk, g RateGrant, now int64) {
	r.seen.full = now + int64(g.Used)
	if a.Limit != r.limit {
		return
	}
	if g.Units > 0 {
		r.lease, r.leased = add(r.lease, g.Units), now
	}
	r.short = short{}
	if g.Units < a.Want {
		amount := a.Least
		if g.Units > 0 {
			amount = 1
		}
		until := now + min(window, int64(r.seen.wait(now, max(1, amount), r.limit)))
		r.short = short{max(1, amount), until}
	}
}

// rests is whether the counters need not be told anything.
func (r *rate) rests() bool { return r.lease == 0 && r.owed == 0 && r.used == 0 && r.want.sum == 0 }

// left is what may be used at once, as far as is known, and when all may be.
func (r *rate) left(now int64, m mode) (int64, time.Duration) {
	b, limit := r.seen, r.limit
	if m.alone || m.away {
		b, limit = r.own, m.share(r.limit)
	}
	return min(r.limit, add(r.lease, b.room(now, limit))), time.Duration(b.used(now))
}

// wait is how long it takes until n may be used.
func (r *rate) wait(n, now int64, m mode) time.Duration {
	share := m.share(r.limit)
	switch {
	case !m.alone && !m.away:
		return r.seen.wait(now, n, r.limit)
	case n > share:
		return time.Duration(r.own.used(now))
	}
	return r.own.wait(now, n, share)
}

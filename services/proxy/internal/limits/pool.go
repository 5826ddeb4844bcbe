package limits

import (
	"math"
	"time"
)

const (
	placeTTL = 10 * time.Second
	moneyTTL = 60 * time.Second
	// placeKeep is how long the counter of places outlives its last use.
	placeKeep = time.Minute
	// tellAfter is how long spent money waits before the counters are told.
	tellAfter = int64(500 * time.Millisecond)
	// idleAfter is how long spare money is held without use.
	idleAfter = int64(time.Second)
	// moneyPart of what is free is the most that a proxy holds as a spare.
	moneyPart = 100
)

// pool is a limit of what may be held at the same time, which is places, or
// held and spent in a period, which is money. What requests take comes out of
// what this proxy holds. Its account's lock guards it.
type pool struct {
	Subject
	limit int64
	// period is empty for places; ends is when money is counted anew.
	period string
	ends   time.Time
	// held covers reserved, which is for running requests, and is used up by
	// what they spend.
	held, reserved int64
	// settled is what this proxy spent, told the part of it that the counters
	// know. stored is what all have spent by the ledger's account.
	settled, told, stored int64
	// other is what of stored is not in settled: it was spent elsewhere, or
	// before there was a budget. The counters know it by themselves.
	other int64
	// spent and free are as the counters answered at told.
	spent, free   int64
	heard, resync bool
	// lent is whether this proxy has its share of free while they are away.
	lent  bool
	asked int64
	taken int64
	pace  pace
	peak  pace
	want  want
	short short
}

func (p *pool) money() bool { return p.period != "" }

// set changes the limit; what is spare is asked for again under the new one.
func (p *pool) set(limit int64) {
	if p.limit != limit {
		p.limit, p.held, p.short = limit, min(p.held, p.reserved), short{}
	}
}

// room is how much may be taken.
func (p *pool) room(m mode) int64 {
	switch {
	case p.limit == 0:
		// It may have gone while a request waited.
		return math.MaxInt64
	case m.alone:
		return sub(sub(p.limit, p.spending()), p.reserved)
	case m.away && !p.money():
		return m.share(p.limit) - p.reserved
	case m.away:
		p.lend(m)
	}
	return sub(p.held, p.reserved)
}

// lend gives this proxy its share of what was free when the counters went
// away, once until they are back.
func (p *pool) lend(m mode) {
	if p.lent {
		return
	}
	p.lent = true
	free := sub(p.limit, p.spending())
	if p.heard {
		free = min(free, p.free)
	}
	p.held = add(max(p.held, p.reserved), max(0, free)/max(1, m.n))
}

// spending is what all proxies have spent, as far as is known.
func (p *pool) spending() int64 {
	if !p.heard {
		return max(p.stored, add(p.other, p.settled))
	}
	return max(p.stored, add(p.spent, p.settled-p.told))
}

// take takes what there is room for.
func (p *pool) take(n, now int64) {
	p.reserved = add(p.reserved, n)
	p.taken = now
	p.pace.note(now, n)
	p.peak.top(now, p.reserved)
}

// settle replaces what was taken by what was spent.
func (p *pool) settle(taken, spent, now int64) {
	p.peak.top(now, p.reserved)
	p.reserved = max(0, p.reserved-taken)
	p.settled = add(p.settled, spent)
	p.held = sub(p.held, spent)
}

// state is what the counters should know, without a wish.
func (p *pool) state() HoldAsk {
	a := HoldAsk{Subject: p.Subject, Period: p.period, Limit: p.limit, Settled: p.settled, Stored: p.stored, Used: p.reserved}
	if p.money() {
		a.SparePart, a.TTL, a.Keep = moneyPart, moneyTTL, moneyKeep(p.period)
	} else {
		a.SparePart, a.TTL, a.Keep = 1, placeTTL, placeKeep
	}
	return a
}

// report is what counters are told that were away: all that is held stays so.
func (p *pool) report(number int64) HoldAsk {
	a := p.state()
	a.Number, a.Used = number, max(p.held, p.reserved)
	return a
}

// unused is whether it never meant anything to the counters.
func (p *pool) unused() bool { return p.settled == 0 && p.held <= 0 && p.reserved == 0 }

// ask is what is to be said to the counters; false if nothing is.
func (p *pool) ask(now int64, end bool) (HoldAsk, bool) {
	a := p.state()
	if !end {
		a.Spare = p.spare(now)
	}
	if p.want.sum == 0 && !p.due(now, a.Spare, end) {
		return a, false
	}
	// Until the answer is here only that may be taken which stays held
	// whatever it says.
	if a.Least, a.Need = p.want.least, p.want.sum; a.Need > 0 {
		p.held = min(p.held, p.reserved)
	}
	p.held = min(p.held, add(p.reserved, a.Spare))
	p.want, p.asked, p.resync = want{}, now, false
	return a, true
}

// spare is what should be held beyond what runs.
func (p *pool) spare(now int64) int64 {
	if !p.money() {
		grow := min(p.limit/leasePart, p.pace.recent(now))
		return max(0, max(grow, p.peak.recent(now)-p.reserved))
	}
	if now-p.taken >= idleAfter {
		return 0
	}
	return p.pace.recent(now)
}

// due is whether the counters are to be told without anybody waiting for it.
func (p *pool) due(now, spare int64, end bool) bool {
	idle := p.held <= 0 && p.reserved == 0
	switch {
	case p.resync && (!idle || p.settled > 0), end && (!idle || p.settled != p.told):
		return true
	case !idle && now-p.asked >= int64(p.ttl())/3:
		return true
	case !p.money():
		return p.held > add(p.reserved, spare)
	}
	if room := sub(p.held, p.reserved); room > 0 && spare == 0 || room < spare/2 && !p.short.of(1, now) {
		return true
	}
	return now-p.asked >= tellAfter && (p.settled != p.told || p.stored > p.spent)
}

// again has everything told to counters that may know nothing of it.
func (p *pool) again() {
	p.resync = !p.unused()
	p.held = min(p.held, p.reserved)
}

func (p *pool) ttl() time.Duration {
	if p.money() {
		return moneyTTL
	}
	return placeTTL
}

func (p *pool) answered(a *HoldAsk, g HoldGrant, now int64) {
	p.told, p.spent, p.free = a.Settled, g.Spent, g.Free
	p.heard, p.lent = true, false
	if a.Limit != p.limit {
		return
	}
	p.held = sub(g.Held, p.settled-a.Settled)
	p.short = short{}
	if got := g.Held - a.Used; got < a.Need {
		p.short = short{add(g.Free, 1), now + window}
	}
}

// rests is whether the counters need not be told anything.
func (p *pool) rests() bool {
	return p.held <= 0 && p.reserved == 0 && p.settled == p.told && p.want.sum == 0 && !p.resync
}

// moneyKeep is longer than the period, for requests that end after it.
func moneyKeep(period string) time.Duration {
	if len(period) == len("2006-01") {
		return 40 * 24 * time.Hour
	}
	return 3 * 24 * time.Hour
}

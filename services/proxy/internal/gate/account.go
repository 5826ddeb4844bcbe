package gate

import "time"

const (
	// maxKnown is how many accounts, and keys of one, are counted before those
	// with nothing inside are forgotten.
	maxKnown = 4096
	// recently is how long an account counts as one that wants its share after
	// it last came: whoever comes now and then finds room each time.
	recently = 10 * time.Second
	// countEvery is how old the number of those accounts may be.
	countEvery = 100 * time.Millisecond
)

// account is what one has inside.
type account struct {
	usage
	// need is what it needed lately, and promised what it is to find of that, as
	// counted last.
	need     need
	promised int64
	// waiting is how many of its requests are in the queue.
	waiting int64
	keys    map[string]*usage
	// came is when it last wanted to enter.
	came time.Time
}

func (a *account) idle() bool { return a.requests == 0 && a.waiting == 0 }

// find returns what an account and its key have inside.
func (g *Gate) find(who Who) (*account, *usage) {
	a, ok := g.accounts[who.Account]
	if !ok {
		if len(g.accounts) >= maxKnown {
			g.forget()
		}
		a = &account{keys: map[string]*usage{}}
		g.accounts[who.Account] = a
		g.wanting++
	}
	a.came = who.Now
	a.need.turn(who.Now)
	k, ok := a.keys[who.Key]
	if !ok {
		if len(a.keys) >= maxKnown {
			a.forget()
		}
		k = &usage{}
		a.keys[who.Key] = k
	}
	return a, k
}

func (g *Gate) forget() {
	for id, a := range g.accounts {
		if a.idle() {
			g.owed -= a.promised
			delete(g.accounts, id)
		}
	}
}

func (a *account) forget() {
	for id, k := range a.keys {
		if k.requests == 0 {
			delete(a.keys, id)
		}
	}
}

// fair is each account's part of a limit, as of late.
func (g *Gate) fair(limit int64) int64 {
	if now := time.Now(); now.Sub(g.counted) >= countEvery {
		g.count(now)
	}
	return g.part(limit)
}

// part is each account's part of a limit. An account that is alone has all of
// it.
func (g *Gate) part(limit int64) int64 { return max(1, limit/max(1, g.wanting)) }

// count finds out how many accounts want something, and what is promised.
func (g *Gate) count(now time.Time) {
	g.wanting, g.counted = 0, now
	for _, a := range g.accounts {
		if !a.idle() || now.Sub(a.came) < recently {
			g.wanting++
		}
	}
	g.promise(now)
}

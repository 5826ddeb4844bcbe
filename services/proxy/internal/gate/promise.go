package gate

import "time"

// need is the most requests that an account had inside at the same time, in a
// window of time and in the one before it. It will need as many again, most
// likely.
type need struct{ window, now, before int64 }

// turn begins the window of that time, if it is another one.
func (n *need) turn(now time.Time) {
	switch w := now.Unix() / int64(recently/time.Second); w {
	case n.window:
	case n.window + 1:
		*n = need{window: w, before: n.now}
	default:
		*n = need{window: w}
	}
}

// promise counts anew what accounts are to find: what they needed lately, within
// their fair share. Whoever has not come for a while is promised nothing.
func (g *Gate) promise(now time.Time) {
	g.owed = 0
	fair := g.part(g.limits.Requests)
	for _, a := range g.accounts {
		a.promised = 0
		if now.Sub(a.came) < recently {
			a.promised = min(fair, max(a.need.now, a.need.before))
		}
		g.owed += max(0, a.promised-a.requests)
	}
}

// let gives an account a place.
func (g *Gate) let(a *account) {
	if a.requests < a.promised {
		g.owed--
	}
	a.requests++
	g.all.requests++
	a.need.now = max(a.need.now, a.requests)
}

// release takes an account's place back.
func (g *Gate) release(a *account) {
	a.requests--
	g.all.requests--
	if a.requests < a.promised {
		g.owed++
	}
}

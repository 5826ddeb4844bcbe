package gate

import "time"

// recentPeak is the highest number of concurrent requests of an account in the
// current window and in the previous one. It predicts how many slots the account
// will need next.
type recentPeak struct{ window, current, previous int64 }

// advance starts a new window if now is no longer in the current one.
func (n *recentPeak) advance(now time.Time) {
	switch w := now.Unix() / int64(activeWindow/time.Second); w {
	case n.window:
	case n.window + 1:
		*n = recentPeak{window: w, previous: n.current}
	default:
		*n = recentPeak{window: w}
	}
}

// recomputeReserved recomputes the reserved slots of every account: its recent peak,
// up to its fair share. Accounts that are no longer active have none.
func (g *Gate) recomputeReserved(now time.Time) {
	g.unusedReserved = 0
	fair := g.fairShare(g.limits.Requests)
	for _, a := range g.accounts {
		a.reserved = 0
		if now.Sub(a.lastSeen) < activeWindow {
			a.reserved = min(fair, max(a.peak.current, a.peak.previous))
		}
		g.unusedReserved += max(0, a.reserved-a.requests)
	}
}

// grantSlot counts one more slot for an account.
func (g *Gate) grantSlot(a *account) {
	if a.requests < a.reserved {
		g.unusedReserved--
	}
	a.requests++
	g.total.requests++
	a.peak.current = max(a.peak.current, a.requests)
}

// reclaimSlot counts one slot less for an account.
func (g *Gate) reclaimSlot(a *account) {
	a.requests--
	g.total.requests--
	if a.requests < a.reserved {
		g.unusedReserved++
	}
}

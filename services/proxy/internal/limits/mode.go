package limits

import "time"

// mode is who counts at the moment.
type mode struct {
	// alone: this process is the only one. away: the shared counters do not
	// answer, and each of n proxies goes by its share.
	alone, away bool
	n           int64
}

// share is this proxy's part of a limit while it counts by itself.
func (m mode) share(limit int64) int64 {
	if m.alone || m.n < 2 {
		return limit
	}
	return max(1, limit/m.n)
}

// window is the time over which use is measured, and how long the word of the
// counters that nothing is left is believed.
const window = int64(100 * time.Millisecond)

// pace measures recent use: as a sum with note, as a maximum with top.
type pace struct{ began, now, before int64 }

func (p *pace) note(at, n int64) {
	p.turn(at)
	p.now = add(p.now, n)
}

func (p *pace) top(at, n int64) {
	p.turn(at)
	p.now = max(p.now, n)
}

// recent is what a window had, as far as the last two tell.
func (p *pace) recent(at int64) int64 {
	p.turn(at)
	return max(p.now, p.before)
}

func (p *pace) turn(at int64) {
	switch age := at - p.began; {
	case age < window:
		return
	case age < 2*window:
		p.before = p.now
	default:
		p.before = 0
	}
	p.began, p.now = at, 0
}

// want is what waiting requests need of a meter.
type want struct{ sum, least int64 }

func (w *want) add(n int64) {
	if w.sum == 0 || n < w.least {
		w.least = n
	}
	w.sum = add(w.sum, n)
}

// short is the counters' word that there is nothing for an amount.
type short struct{ amount, until int64 }

func (s short) of(n, now int64) bool { return now < s.until && n >= s.amount }

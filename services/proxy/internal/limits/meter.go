package limits

import "time"

// Meters are the limits of the caller, those of the key first.
func (p *Pass) Meters() []Meter {
	if p == nil {
		return nil
	}
	p.a.mu.Lock()
	defer p.a.mu.Unlock()
	t := p.k.now()
	now, m := p.k.instant(t), p.k.mode()
	var list []Meter
	for i := range 2 {
		for _, r := range [...]*rate{p.requests[i], p.tokens[i]} {
			if r != nil {
				list = append(list, r.meter(now, m))
			}
		}
		for _, b := range [...]*pool{p.places[i], p.money[2*i], p.money[2*i+1]} {
			if b != nil {
				list = append(list, b.meter(t, m))
			}
		}
	}
	return list
}

func (r *rate) meter(now int64, m mode) Meter {
	left, reset := r.left(now, m)
	return Meter{Scope: r.Scope, Name: r.Name, Limit: r.limit, Remaining: left, Reset: reset}
}

func (p *pool) meter(now time.Time, m mode) Meter {
	out := Meter{Scope: p.Scope, Name: p.Name, Limit: p.limit, Remaining: p.left(m)}
	if p.money() {
		out.Reset = max(0, p.ends.Sub(now))
	}
	return out
}

// left is what may be taken by somebody, as far as is known.
func (p *pool) left(m mode) int64 {
	left := p.room(m)
	if !m.alone && !m.away {
		left = add(max(0, left), p.free)
		if !p.heard {
			left = sub(p.limit, p.spending())
		}
	}
	return min(max(0, left), p.limit)
}

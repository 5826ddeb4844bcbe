package decide

import (
	"slices"

	"github.com/signalbox/signalbox/pkg/policy"
)

// arrange puts everybody in order: what was selected, then the reserve, then
// what does not reach the floor of quality. Where nothing reaches it that may
// serve, those who come nearest to it are what is selected.
func (f *field) arrange() {
	f.makeRoom()
	f.selected = f.enter(f.selected, f.c.selected, false)
	if r := f.c.rule; r != nil && r.Strategy != "" {
		rank(r, &f.q, f.selected)
	}
	above := f.selected
	if r := f.c.rule; r != nil && r.MinQuality > 0 {
		above, f.below = floor(f.selected, f.below, r.MinQuality)
		f.missed = !slices.ContainsFunc(above, (*judgement).passes)
	}
	if f.missed {
		above, f.below = append(above, f.below...), f.below[:0]
	}
	f.stay(above)
	called, below := f.callBack(above)
	f.order = f.enter(called, f.c.reserve, true)
	if len(called) > len(above) {
		reserve := f.order[len(above):]
		slices.SortStableFunc(reserve, func(a, b *judgement) int { return f.reserveName(a.target) - f.reserveName(b.target) })
	}
	f.order = append(f.order, below...)
}

// floor parts those who reach it from those who do not, the best of these
// first. The former take the place of all.
func floor(all, room []*judgement, least int64) (above, below []*judgement) {
	above, below = all[:0], room
	for _, j := range all {
		if j.quality >= least {
			above = append(above, j)
		} else {
			below = append(below, j)
		}
	}
	byQuality(below)
	return above, below
}

// callBack takes those out of the ones below the floor whom on_failure names,
// and adds them to others.
func (f *field) callBack(all []*judgement) (called, rest []*judgement) {
	called, rest = all, f.below[:0]
	for _, j := range f.below {
		j.reserve = f.reserveName(j.target) >= 0
		j.below = !j.reserve
		if j.reserve {
			called = append(called, j)
		} else {
			rest = append(rest, j)
		}
	}
	return called, rest
}

// reserveName is the place of a target in on_failure, or -1.
func (f *field) reserveName(t Target) int {
	return slices.IndexFunc(f.c.reserve, func(at policy.Place) bool {
		return at.Model.ID == t.Model && (at.Provider == "" || at.Provider == t.Provider)
	})
}

// stay puts the conversation's last target first, if it may serve and is not
// left for its state. Failover goes on from it as from any other.
func (f *field) stay(all []*judgement) {
	r := f.c.route
	if r == nil || r.Affinity == nil || f.c.rule.Target != "" || f.q.Sticky == nil {
		return
	}
	i := slices.IndexFunc(all, func(j *judgement) bool { return j.target == *f.q.Sticky })
	if i < 0 || !all[i].passes() {
		return
	}
	j := all[i]
	state := policy.YieldBreaker
	if j.overLimit() {
		state = policy.YieldRateLimit
	}
	j.kept = j.down != "" && !slices.Contains(r.Affinity.YieldsTo, state)
	if slices.ContainsFunc(all[:i], (*judgement).passes) {
		f.moved = j
	}
	copy(all[1:], all[:i])
	all[0] = j
}

// plan numbers those who may serve. If nobody is left for their state alone,
// those below the floor step in, and then those who are down; a provider at
// its limit is not pressed further.
func (f *field) plan() {
	f.take((*judgement).up)
	if len(f.planned) > 0 {
		return
	}
	for _, j := range f.order {
		j.below = false
	}
	if f.take((*judgement).up); len(f.planned) == 0 {
		f.take(func(j *judgement) bool { return !j.overLimit() })
	}
}

func (f *field) take(may func(*judgement) bool) {
	for _, j := range f.order {
		if j.passes() && may(j) {
			f.planned = append(f.planned, j)
			j.number = len(f.planned)
		}
	}
}

// first is who would be first in a healthy world, and who if no operator had a
// say in it, either.
func (f *field) first() (healthy, unbound *judgement) {
	for _, j := range f.order {
		if unbound == nil && j.unbound() {
			unbound = j
		}
		if healthy == nil && j.passes() {
			healthy = j
		}
	}
	return healthy, unbound
}

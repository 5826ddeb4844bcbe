package decide

import (
	"slices"

	"github.com/signalbox/signalbox/pkg/policy"
)

// field is all candidates of a question on their way into a plan.
type field struct {
	p         *policy.Policy
	q         *Question
	h         Health
	c         *choice
	permitted func(Target) bool

	selected []*judgement
	// order is everybody, the preferred first, and planned those of the plan.
	order, planned []*judgement
	// missed is set when no candidate that may serve reaches the floor.
	missed bool
	// moved is what affinity has put before the others; nil when nothing.
	moved *judgement
}

func newField(p *policy.Policy, q *Question, h Health, c *choice) *field {
	f := &field{p: p, q: q, h: h, c: c, permitted: permits(p, q.Asker.Models)}
	f.selected = f.enter(c.selected, nil, false)
	if c.rule != nil && c.rule.Strategy != "" {
		rank(c.rule, q, f.selected)
	}
	return f
}

// enter judges the places of a list, each target once, but for those taken.
func (f *field) enter(list []policy.Place, taken []*judgement, reserve bool) []*judgement {
	n := 0
	for _, at := range list {
		n += len(at.Model.Endpoints)
	}
	room, all := make([]judgement, 0, n), make([]*judgement, 0, n)
	for name, at := range list {
		for k := range at.Model.Endpoints {
			e := &at.Model.Endpoints[k]
			if at.Provider != "" && at.Provider != e.Provider || same(all, at.Model, e.Provider) >= 0 || same(taken, at.Model, e.Provider) >= 0 {
				continue
			}
			room = append(room, judgement{name: name, reserve: reserve})
			j := &room[len(room)-1]
			f.judge(j, at.Model, e)
			all = append(all, j)
		}
	}
	return all
}

// arrange puts everybody in order: what was selected, then the reserve, then
// what does not reach the floor of quality. Where nothing reaches it that may
// serve, those who come nearest to it are what is selected.
func (f *field) arrange() {
	above, below := f.selected, []*judgement(nil)
	if r := f.c.rule; r != nil && r.MinQuality > 0 {
		above, below = floor(f.selected, r.MinQuality)
		f.missed = !slices.ContainsFunc(above, (*judgement).passes)
	}
	if f.missed {
		above, below = append(above, below...), nil
	}
	above = f.stay(above)
	if len(below) == 0 && len(f.c.reserve) == 0 {
		f.order = above
		return
	}
	below, called := f.callBack(below)
	reserve := append(called, f.enter(f.c.reserve, slices.Concat(above, below, called), true)...)
	if len(called) > 0 {
		slices.SortStableFunc(reserve, func(a, b *judgement) int { return f.reserveName(a.target) - f.reserveName(b.target) })
	}
	f.order = slices.Concat(above, reserve, below)
}

// floor parts those who reach it from those who do not, the best of these
// first.
func floor(all []*judgement, least int64) (above, below []*judgement) {
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

// callBack takes those out of the ones below the floor whom on_failure names.
func (f *field) callBack(below []*judgement) (rest, called []*judgement) {
	for _, j := range below {
		j.reserve = f.reserveName(j.target) >= 0
		j.below = !j.reserve
		if j.reserve {
			called = append(called, j)
		} else {
			rest = append(rest, j)
		}
	}
	return rest, called
}

// reserveName is the place of a target in on_failure, or -1.
func (f *field) reserveName(t Target) int {
	return slices.IndexFunc(f.c.reserve, func(at policy.Place) bool {
		return at.Model.ID == t.Model && (at.Provider == "" || at.Provider == t.Provider)
	})
}

// stay puts the conversation's last target first, if it may serve and is not
// left for its state. Failover goes on from it as from any other.
func (f *field) stay(all []*judgement) []*judgement {
	r := f.c.route
	if r == nil || r.Affinity == nil || f.c.rule.Target != "" || f.q.Sticky == nil {
		return all
	}
	i := slices.IndexFunc(all, func(j *judgement) bool { return j.target == *f.q.Sticky })
	if i < 0 || !all[i].passes() {
		return all
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
	return slices.Concat([]*judgement{j}, all[:i], all[i+1:])
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

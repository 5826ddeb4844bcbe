package decide

import (
	"slices"
	"sync"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/policy"
)

// field is all candidates of a question on their way into a plan.
type field struct {
	p *policy.Policy
	q Question
	h Health
	c choice
	// only is the place that an explicit name selects, and named what the key's
	// list does.
	only  [1]policy.Place
	named []Target

	// room has every judgement; the lists below point into it.
	room            []judgement
	selected, below []*judgement
	// order is everybody, the preferred first, and planned those of the plan.
	order, planned []*judgement
	// missed is set when no candidate that may serve reaches the floor.
	missed bool
	// moved is what affinity has put before the others; nil when nothing.
	moved *judgement
	// text is where sentences are put together.
	text []byte
}

// fields are those that nobody uses. A decision takes one and gives it back
// before it is handed out, and nothing in it is the field's: targets and texts
// are copied, an error has its own.
var fields = sync.Pool{New: func() any { return new(field) }}

func enterField(p *policy.Policy, q *Question, h Health) *field {
	f := fields.Get().(*field) //nolint:forcetypeassert // nothing else is stored
	f.p, f.q, f.h = p, *q, h
	f.q.Needs = sorted(q.Needs)
	f.permit(q.Asker.Models)
	return f
}

// leave keeps the memory and nothing that is in it, so that neither a policy nor
// a question lives longer for it.
func (f *field) leave() {
	clear(f.room)
	clear(f.named)
	clear(f.c.demands)
	*f = field{
		named: f.named[:0], room: f.room[:0], selected: f.selected[:0], below: f.below[:0], planned: f.planned[:0],
		c: choice{demands: f.c.demands[:0]}, text: f.text[:0],
	}
	fields.Put(f)
}

// sorted is a list of needs in which the order does not show in which they were
// found.
func sorted(needs []catalog.Capability) []catalog.Capability {
	switch {
	case len(needs) == 0:
		return nil
	case slices.IsSorted(needs):
		return needs
	}
	needs = slices.Clone(needs)
	slices.Sort(needs)
	return needs
}

// makeRoom is for all judgements at once: they are pointed to and must not move.
func (f *field) makeRoom() {
	n := 0
	for _, list := range [...][]policy.Place{f.c.selected, f.c.reserve} {
		for _, at := range list {
			n += len(at.Model.Endpoints)
		}
	}
	f.room, f.selected = slices.Grow(f.room, n), slices.Grow(f.selected, n)
}

// enter judges the places of a list, each target once, and adds them to others.
func (f *field) enter(all []*judgement, list []policy.Place, reserve bool) []*judgement {
	for name, at := range list {
		for k := range at.Model.Endpoints {
			e := &at.Model.Endpoints[k]
			if at.Provider != "" && at.Provider != e.Provider || f.entered(at.Model, e.Provider) {
				continue
			}
			f.room = append(f.room, judgement{name: name, reserve: reserve})
			j := &f.room[len(f.room)-1]
			f.judge(j, at.Model, e)
			all = append(all, j)
		}
	}
	return all
}

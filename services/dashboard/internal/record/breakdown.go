package record

import (
	"cmp"
	"maps"
	"slices"
	"time"
)

// Breakdown builds an Impact from partial sums.
type Breakdown struct {
	by     GroupBy
	step   time.Duration
	total  Parts
	groups []line
	other  *Parts
	steps  map[int64]Parts
}

type line struct {
	value, name string
	Parts
}

// NewBreakdown begins an Impact broken down by the given grouping, with a
// series in steps of which a day has a whole number.
func NewBreakdown(by GroupBy, step time.Duration) *Breakdown {
	return &Breakdown{by: by, step: step, steps: map[int64]Parts{}}
}

// Add counts sums of one group in one step (since 1970). The parts of a group
// come one after the other.
func (b *Breakdown) Add(value, name string, step int64, p Parts) {
	b.total.add(p)
	sum := b.steps[step]
	sum.add(p)
	b.steps[step] = sum
	if b.by == "" || b.by == GroupDay {
		return
	}
	if n := len(b.groups); n == 0 || b.groups[n-1].value != value {
		if n == 2*maxGroups {
			b.fold()
		}
		b.groups = append(b.groups, line{value: value})
	}
	g := &b.groups[len(b.groups)-1]
	g.name = max(g.name, name)
	g.add(p)
}

// Impact is what was counted.
func (b *Breakdown) Impact() Impact {
	i := Impact{Sums: b.total.sums(), Step: b.step}
	for _, step := range slices.Sorted(maps.Keys(b.steps)) {
		i.Series = append(i.Series, StepSums{Start: b.start(step), Sums: b.steps[step].sums()})
	}
	if b.by == GroupDay {
		i.Groups = b.days()
		return i
	}
	b.fold()
	for _, g := range b.groups {
		i.Groups = append(i.Groups, Group{Value: g.value, Name: g.name, Sums: g.sums()})
	}
	if b.other != nil {
		i.Groups = append(i.Groups, Group{Other: true, Sums: b.other.sums()})
	}
	return i
}

func (b *Breakdown) start(step int64) time.Time {
	return time.Unix(step*int64(b.step/time.Second), 0).UTC()
}

// days are the UTC days that the steps are of, the first one first.
func (b *Breakdown) days() []Group {
	var days []line
	for _, step := range slices.Sorted(maps.Keys(b.steps)) {
		day := b.start(step).Format(time.DateOnly)
		if n := len(days); n == 0 || days[n-1].value != day {
			days = append(days, line{value: day})
		}
		days[len(days)-1].add(b.steps[step])
	}
	var groups []Group
	for _, d := range days {
		groups = append(groups, Group{Value: d.value, Sums: d.sums()})
	}
	return groups
}

// fold orders the groups, largest first, and moves the smallest of too many
// into the other one.
func (b *Breakdown) fold() {
	slices.SortFunc(b.groups, func(x, y line) int {
		return cmp.Or(cmp.Compare(y.Requests, x.Requests), cmp.Compare(x.value, y.value))
	})
	if len(b.groups) <= maxGroups {
		return
	}
	if b.other == nil {
		b.other = &Parts{}
	}
	for _, g := range b.groups[maxGroups:] {
		b.other.add(g.Parts)
	}
	b.groups = b.groups[:maxGroups]
}

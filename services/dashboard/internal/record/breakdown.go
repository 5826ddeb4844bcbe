package record

import (
	"cmp"
	"maps"
	"slices"
	"time"
)

// Breakdown builds an Impact from partial sums. It holds at most twice maxGroups
// groups in memory, because clients can create any number of groups.
type Breakdown struct {
	by     GroupBy
	step   time.Duration
	total  PartialSums
	groups []groupParts
	other  *PartialSums
	steps  map[int64]PartialSums
}

type groupParts struct {
	value, name string
	PartialSums
}

// NewBreakdown starts a breakdown by the given property. step is the length of
// one step of the series. It must divide a day evenly.
func NewBreakdown(by GroupBy, step time.Duration) *Breakdown {
	return &Breakdown{by: by, step: step, steps: map[int64]PartialSums{}}
}

// Add adds the sums of one group in one step. step is the index of the step, counted
// from 1970. The caller must add all sums of a group before it adds sums of another
// group.
func (b *Breakdown) Add(value, name string, step int64, p PartialSums) {
	b.AddTotal(step, p)
	if b.by != "" && b.by != GroupDay {
		b.AddGroup(value, name, p)
	}
}

// AddTotal adds sums to the total and to the series, but to no group.
func (b *Breakdown) AddTotal(step int64, p PartialSums) {
	b.total.add(p)
	sum := b.steps[step]
	sum.add(p)
	b.steps[step] = sum
}

// AddGroup adds sums only to a group. It is for groups that share requests, whose sums
// the total contains once.
func (b *Breakdown) AddGroup(value, name string, p PartialSums) {
	if n := len(b.groups); n == 0 || b.groups[n-1].value != value {
		if n == 2*maxGroups {
			b.foldSmallGroups()
		}
		b.groups = append(b.groups, groupParts{value: value})
	}
	g := &b.groups[len(b.groups)-1]
	g.name = max(g.name, name)
	g.add(p)
}

// Impact returns the totals, groups and series of everything added so far.
func (b *Breakdown) Impact() Impact {
	i := Impact{Sums: b.total.toSums(), Step: b.step}
	for _, step := range slices.Sorted(maps.Keys(b.steps)) {
		i.Series = append(i.Series, StepSums{Start: b.stepStart(step), Sums: b.steps[step].toSums()})
	}
	if b.by == GroupDay {
		i.Groups = b.dayGroups()
		return i
	}
	b.foldSmallGroups()
	for _, g := range b.groups {
		i.Groups = append(i.Groups, Group{Value: g.value, Name: g.name, Sums: g.toSums()})
	}
	if b.other != nil {
		i.Groups = append(i.Groups, Group{Other: true, Sums: b.other.toSums()})
	}
	return i
}

func (b *Breakdown) stepStart(step int64) time.Time {
	return time.Unix(step*int64(b.step/time.Second), 0).UTC()
}

// dayGroups sums the steps by UTC day, oldest first.
func (b *Breakdown) dayGroups() []Group {
	var days []groupParts
	for _, step := range slices.Sorted(maps.Keys(b.steps)) {
		day := b.stepStart(step).Format(time.DateOnly)
		if n := len(days); n == 0 || days[n-1].value != day {
			days = append(days, groupParts{value: day})
		}
		days[len(days)-1].add(b.steps[step])
	}
	var groups []Group
	for _, d := range days {
		groups = append(groups, Group{Value: d.value, Sums: d.toSums()})
	}
	return groups
}

// foldSmallGroups sorts the groups by requests, largest first, and merges all
// groups beyond maxGroups into the group "other".
func (b *Breakdown) foldSmallGroups() {
	slices.SortFunc(b.groups, func(x, y groupParts) int {
		return cmp.Or(cmp.Compare(y.Requests, x.Requests), cmp.Compare(x.value, y.value))
	})
	if len(b.groups) <= maxGroups {
		return
	}
	if b.other == nil {
		b.other = &PartialSums{}
	}
	for _, g := range b.groups[maxGroups:] {
		b.other.add(g.PartialSums)
	}
	b.groups = b.groups[:maxGroups]
}

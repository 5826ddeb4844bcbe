package record

import (
	"cmp"
	"slices"
	"time"
)

// Breakdown builds an Impact from partial sums.
type Breakdown struct {
	by     GroupBy
	total  Parts
	groups []line
	other  *Parts
	days   map[int64]Parts
}

type line struct {
	value, name string
	Parts
}

// NewBreakdown begins an Impact broken down by the given grouping.
func NewBreakdown(by GroupBy) *Breakdown { return &Breakdown{by: by, days: map[int64]Parts{}} }

// Add counts sums of one group on one day (since 1970). The parts of a group
// come one after the other.
func (b *Breakdown) Add(value, name string, day int64, p Parts) {
	b.total.add(p)
	sum := b.days[day]
	sum.add(p)
	b.days[day] = sum
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
	i := Impact{Sums: b.total.sums()}
	for day, p := range b.days {
		i.Series = append(i.Series, DaySums{Day: time.Unix(day*dayMillis/1000, 0).UTC(), Sums: p.sums()})
	}
	slices.SortFunc(i.Series, func(a, b DaySums) int { return a.Day.Compare(b.Day) })
	if b.by == GroupDay {
		for _, d := range i.Series {
			i.Groups = append(i.Groups, Group{Value: d.Day.Format(time.DateOnly), Sums: d.Sums})
		}
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

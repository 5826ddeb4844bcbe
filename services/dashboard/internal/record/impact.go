package record

import (
	"cmp"
	"math"
	"slices"
	"time"
)

// GroupBy is what an impact is broken down by; empty means not at all.
type GroupBy string

// The breakdowns.
const (
	GroupModel          GroupBy = "model"
	GroupProvider       GroupBy = "provider"
	GroupKey            GroupBy = "key"
	GroupDay            GroupBy = "day"
	GroupRoute          GroupBy = "route"
	GroupRequestedModel GroupBy = "requested_model"
)

// Groupings is every breakdown.
func Groupings() []GroupBy {
	return []GroupBy{GroupModel, GroupProvider, GroupKey, GroupDay, GroupRoute, GroupRequestedModel}
}

// Sums add up records. Each sum runs over the records in which that figure is
// known, so that it equals the sum of the column that a reader sees.
type Sums struct {
	Requests int64
	Routed   int64
	Baseline int64
	Kept     int64
	// Unpriced counts the records whose kept amount is unknown.
	Unpriced int64
}

func (s *Sums) add(o Sums) {
	s.Requests = add(s.Requests, o.Requests)
	s.Routed = add(s.Routed, o.Routed)
	s.Baseline = add(s.Baseline, o.Baseline)
	s.Kept = add(s.Kept, o.Kept)
	s.Unpriced = add(s.Unpriced, o.Unpriced)
}

// NanoUSD puts together what was added up apart: dollars, and nano-dollars of
// the same sign or not. What does not fit saturates.
func NanoUSD(dollars, nano int64) int64 {
	const unit = 1_000_000_000
	dollars, nano = add(dollars, nano/unit), nano%unit
	switch {
	case dollars > math.MaxInt64/unit:
		return math.MaxInt64
	case dollars < math.MinInt64/unit:
		return math.MinInt64
	}
	return add(dollars*unit, nano)
}

// Group is one line of a breakdown.
type Group struct {
	// Value is what the records have in common; empty when they have none.
	Value string
	// Name is what people call it; only keys have one.
	Name string
	// Other marks the line that takes up the smallest groups.
	Other bool
	Sums
}

// DaySums is one UTC day of a series.
type DaySums struct {
	Day time.Time
	Sums
}

// Impact is how records add up: in total, by group and by day. The groups add
// up to the total exactly, and so do the days.
type Impact struct {
	Sums
	Groups []Group
	Series []DaySums
}

// maxGroups bounds a breakdown: what callers ask for by name is up to them,
// and there may be millions of names.
const maxGroups = 200

// Tally builds an Impact from partial sums.
type Tally struct {
	by     GroupBy
	total  Sums
	groups []Group
	other  *Group
	days   map[int64]Sums
}

// NewTally begins an Impact broken down by the given grouping.
func NewTally(by GroupBy) *Tally { return &Tally{by: by, days: map[int64]Sums{}} }

// Add counts sums of one group on one day (since 1970). The parts of a group
// come one after the other.
func (t *Tally) Add(value, name string, day int64, s Sums) {
	t.total.add(s)
	sum := t.days[day]
	sum.add(s)
	t.days[day] = sum
	if t.by == "" || t.by == GroupDay {
		return
	}
	if n := len(t.groups); n == 0 || t.groups[n-1].Value != value {
		if n == 2*maxGroups {
			t.fold()
		}
		t.groups = append(t.groups, Group{Value: value})
	}
	g := &t.groups[len(t.groups)-1]
	g.Name = max(g.Name, name)
	g.add(s)
}

// Impact is what was counted.
func (t *Tally) Impact() Impact {
	i := Impact{Sums: t.total}
	for day, s := range t.days {
		i.Series = append(i.Series, DaySums{Day: time.Unix(day*dayMillis/1000, 0).UTC(), Sums: s})
	}
	slices.SortFunc(i.Series, func(a, b DaySums) int { return a.Day.Compare(b.Day) })
	if t.by == GroupDay {
		for _, d := range i.Series {
			i.Groups = append(i.Groups, Group{Value: d.Day.Format(time.DateOnly), Sums: d.Sums})
		}
		return i
	}
	t.fold()
	i.Groups = t.groups
	if t.other != nil {
		i.Groups = append(i.Groups, *t.other)
	}
	return i
}

// fold orders the groups, largest first, and moves the smallest of too many
// into the other one.
func (t *Tally) fold() {
	slices.SortFunc(t.groups, func(a, b Group) int {
		return cmp.Or(cmp.Compare(b.Requests, a.Requests), cmp.Compare(a.Value, b.Value))
	})
	if len(t.groups) <= maxGroups {
		return
	}
	if t.other == nil {
		t.other = &Group{Other: true}
	}
	for _, g := range t.groups[maxGroups:] {
		t.other.add(g.Sums)
	}
	t.groups = t.groups[:maxGroups]
}

package record

import (
	"cmp"
	"maps"
	"slices"
	"time"
)

// Breakdown builds an Impact from partial sums. It holds at most twice MaxGroups
// groups in memory, because clients can create any number of groups.
type Breakdown struct {
	by     GroupBy
	step   time.Duration
	total  PartialSums
	groups []groupParts
	other  *groupParts
	steps  map[int64]PartialSums
	// byCost is true if groups are ordered by cost and keep their cost by step.
	byCost bool
}

type groupParts struct {
	value, name string
	PartialSums
	costs map[int64]Amount // by step; nil unless byCost
}

// NewBreakdown starts a breakdown by the given property. step is the length of
// one step of the series. It must divide a day evenly.
func NewBreakdown(by GroupBy, step time.Duration) *Breakdown {
	return &Breakdown{by: by, step: step, steps: map[int64]PartialSums{}}
}

// NewSpendBreakdown is NewBreakdown, except that the largest groups are those that cost
// most, and that the result has the cost of groups over time.
func NewSpendBreakdown(by GroupBy, step time.Duration) *Breakdown {
	b := NewBreakdown(by, step)
	b.byCost = true
	return b
}

// Add adds the sums of one group in one step. step is the index of the step, counted
// from 1970. The caller must add all sums of a group before it adds sums of another
// group.
func (b *Breakdown) Add(value, name string, step int64, p PartialSums) {
	if b.by != GroupTag {
		b.AddTotal(step, p)
	}
	if b.by != "" && b.by != GroupDay {
		b.addGroup(value, name, step, p)
	}
}

// AddTotal adds sums to the total and to the series, but to no group. The total of tags must be
// added so, because their groups share requests.
func (b *Breakdown) AddTotal(step int64, p PartialSums) {
	b.total.add(p)
	sum := b.steps[step]
	sum.add(p)
	b.steps[step] = sum
}

// AddOther adds the sums of several groups in one step, which are all smaller than MaxGroups other
// ones.
func (b *Breakdown) AddOther(step int64, p PartialSums) {
	if b.by != GroupTag {
		b.AddTotal(step, p)
	}
	if b.other == nil {
		b.other = &groupParts{}
	}
	b.other.addStep(b.byCost, step, p)
}

// OrdersByCost reports whether the largest groups are those that cost most, and not those with
// the most requests.
func (b *Breakdown) OrdersByCost() bool { return b.byCost }

func (b *Breakdown) addGroup(value, name string, step int64, p PartialSums) {
	if n := len(b.groups); n == 0 || b.groups[n-1].value != value {
		if n == 2*MaxGroups {
			b.foldSmallGroups()
		}
		b.groups = append(b.groups, groupParts{value: value})
	}
	g := &b.groups[len(b.groups)-1]
	g.name = max(g.name, name)
	g.addStep(b.byCost, step, p)
}

func (g *groupParts) addStep(byCost bool, step int64, p PartialSums) {
	g.add(p)
	if byCost {
		g.addCost(step, p.Routed)
	}
}

func (g *groupParts) addCost(step int64, cost Amount) {
	if g.costs == nil {
		g.costs = map[int64]Amount{}
	}
	sum := g.costs[step]
	sum.add(cost)
	g.costs[step] = sum
}

// merge adds all sums of another group.
func (g *groupParts) merge(o groupParts) {
	g.add(o.PartialSums)
	for step, cost := range o.costs {
		g.addCost(step, cost)
	}
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
	b.setCosts(&i)
	return i
}

// setCosts sets the costs over time of the largest groups, and of all others together.
func (b *Breakdown) setCosts(i *Impact) {
	if !b.byCost {
		return
	}
	var rest groupParts
	for n, g := range b.groups {
		if n < maxCharted {
			i.Groups[n].Costs = b.costSteps(g.costs)
		} else {
			rest.merge(g)
		}
	}
	if b.other != nil {
		rest.merge(*b.other)
	}
	i.OtherCosts = b.costSteps(rest.costs)
}

func (b *Breakdown) costSteps(costs map[int64]Amount) []StepCost {
	var all []StepCost
	for _, step := range slices.Sorted(maps.Keys(costs)) {
		all = append(all, StepCost{Start: b.stepStart(step), NanoUSD: costs[step].nano()})
	}
	return all
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

// foldSmallGroups sorts the groups, largest first, and merges all groups beyond
// MaxGroups into the group "other".
func (b *Breakdown) foldSmallGroups() {
	slices.SortFunc(b.groups, b.compareGroups)
	if len(b.groups) <= MaxGroups {
		return
	}
	if b.other == nil {
		b.other = &groupParts{}
	}
	for _, g := range b.groups[MaxGroups:] {
		b.other.merge(g)
	}
	b.groups = b.groups[:MaxGroups]
}

// compareGroups orders groups by cost if byCost is true, and by requests otherwise.
func (b *Breakdown) compareGroups(x, y groupParts) int {
	order := cmp.Or(cmp.Compare(y.Requests, x.Requests), cmp.Compare(x.value, y.value))
	if b.byCost {
		return cmp.Or(cmp.Compare(y.Routed.nano(), x.Routed.nano()), order)
	}
	return order
}

package record

import (
	"math"
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
	GroupCode           GroupBy = "code"
)

// Groupings is every breakdown.
func Groupings() []GroupBy {
	return []GroupBy{GroupModel, GroupProvider, GroupKey, GroupDay, GroupRoute, GroupRequestedModel, GroupCode}
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

// Parts are sums that are still to grow. Amounts are held in two parts, so that
// nothing saturates before all of it is there: then a total does not depend on
// the order in which it was added up.
type Parts struct {
	Requests, Unpriced     int64
	Routed, Baseline, Kept Amount
}

// Amount is dollars, and nano-dollars of the same sign or not.
type Amount struct{ Dollars, Nano int64 }

func (p *Parts) add(o Parts) {
	p.Requests, p.Unpriced = p.Requests+o.Requests, p.Unpriced+o.Unpriced
	p.Routed.add(o.Routed)
	p.Baseline.add(o.Baseline)
	p.Kept.add(o.Kept)
}

func (a *Amount) add(o Amount) { a.Dollars, a.Nano = a.Dollars+o.Dollars, a.Nano+o.Nano }

func (a Amount) nano() int64 { return NanoUSD(a.Dollars, a.Nano) }

func (p Parts) sums() Sums {
	return Sums{
		Requests: p.Requests, Unpriced: p.Unpriced,
		Routed: p.Routed.nano(), Baseline: p.Baseline.nano(), Kept: p.Kept.nano(),
	}
}

// NanoUSD puts together what was added up apart: dollars, and nano-dollars of
// the same sign or not. What does not fit saturates.
func NanoUSD(dollars, nano int64) int64 {
	const unit = 1_000_000_000
	dollars, nano = add(dollars, nano/unit), nano%unit
	// Of one sign, because a dollar too many may be all that does not fit.
	switch {
	case dollars > 0 && nano < 0:
		dollars, nano = dollars-1, nano+unit
	case dollars < 0 && nano > 0:
		dollars, nano = dollars+1, nano-unit
	}
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

// StepSums is one step of a series, from when on it lasts.
type StepSums struct {
	Start time.Time
	Sums
}

// Impact is how records add up: in total, by group and over time. The groups
// add up to the total exactly, and so do the steps, which are all as long.
type Impact struct {
	Sums
	Groups []Group
	Step   time.Duration
	Series []StepSums
}

const aDay = 24 * time.Hour

// SeriesStep is how long the steps of a query's series are: a day, or a part of
// one where the span is short enough to have few of them.
func SeriesStep(q Query) time.Duration {
	if q.From.IsZero() {
		return aDay
	}
	end := q.To
	if end.IsZero() {
		end = time.Now()
	}
	switch span := end.Sub(q.From); {
	case span <= time.Hour:
		return time.Minute
	case span <= 6*time.Hour:
		return 10 * time.Minute
	case span <= 3*aDay:
		return time.Hour
	case span <= 8*aDay:
		return 3 * time.Hour
	}
	return aDay
}

// maxGroups bounds a breakdown: what callers ask for by name is up to them,
// and there may be millions of names.
const maxGroups = 200

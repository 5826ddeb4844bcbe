package record

import (
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/signalbox/signalbox/pkg/saturate"
)

// GroupBy is the property by which sums are grouped. Empty means no groups.
type GroupBy string

// The groupings.
const (
	GroupModel          GroupBy = "model"
	GroupProvider       GroupBy = "provider"
	GroupKey            GroupBy = "key"
	GroupDay            GroupBy = "day"
	GroupRoute          GroupBy = "route"
	GroupRequestedModel GroupBy = "requested_model"
	GroupCode           GroupBy = "code"
	GroupProtocol       GroupBy = "protocol"
	GroupAgent          GroupBy = "agent"
	GroupSession        GroupBy = "session"
	GroupUser           GroupBy = "user"
	GroupRule           GroupBy = "rule"
	GroupEndpoint       GroupBy = "endpoint"
	// GroupTag has a group per tag. A request counts in the group of each of its tags, so
	// the groups can add up to more than the total.
	GroupTag GroupBy = "tag"
	// GroupMetadata is the form of the groupings by request metadata. NAME is any name.
	GroupMetadata GroupBy = "meta.NAME"
)

// Groupings returns all groupings.
func Groupings() []GroupBy {
	return []GroupBy{
		GroupModel, GroupProvider, GroupKey, GroupDay, GroupRoute, GroupRequestedModel, GroupCode, GroupProtocol, GroupAgent,
		GroupSession, GroupUser, GroupTag, GroupRule, GroupEndpoint, GroupMetadata,
	}
}

// maxGroupBytes limits the length of a grouping. No name of stored metadata is longer.
const maxGroupBytes = 256

// IsValid reports whether sums can be grouped by the property.
func (b GroupBy) IsValid() bool {
	if _, ok := b.MetadataName(); ok {
		return len(b) <= maxGroupBytes && utf8.ValidString(string(b)) && !strings.ContainsRune(string(b), 0)
	}
	return b == "" || slices.Contains(Groupings(), b)
}

// MetadataName returns the name of the metadata that forms the groups. ok is false for
// other groupings.
func (b GroupBy) MetadataName() (name string, ok bool) { return Field(b).MetadataName() }

// Measure is what a report about the use of models counts.
type Measure string

// The measures.
const (
	MeasureRequests Measure = "requests"
	MeasureTokens   Measure = "tokens"
)

// Sums are totals over records: counts, and amounts in nano-USD. Each amount covers
// the records for which it is known. It therefore equals the sum of the column that
// users see.
type Sums struct {
	Requests int64
	// Routed is the cost of the requests.
	Routed int64
	// Baseline is what the default model would have cost.
	Baseline int64
	Saved    int64
	// Unpriced counts the records whose savings are unknown.
	Unpriced int64
	// InputTokens and OutputTokens are only in a report of tokens. The input includes tokens that
	// were read from or written to a cache.
	InputTokens, OutputTokens int64
}

// PartialSums are sums to which more records can be added. Amounts are split
// into dollars and nano-dollars, so that no intermediate sum overflows. A total
// therefore does not depend on the order of the additions.
type PartialSums struct {
	Requests, Unpriced        int64
	Routed, Baseline, Saved   Amount
	InputTokens, OutputTokens Amount
}

// Amount is the sum of its dollars and nano-dollars. The two may differ in sign. Tokens are split
// in the same way, into billions and the rest.
type Amount struct{ Dollars, Nano int64 }

func (p *PartialSums) add(o PartialSums) {
	p.Requests, p.Unpriced = p.Requests+o.Requests, p.Unpriced+o.Unpriced
	p.Routed.add(o.Routed)
	p.Baseline.add(o.Baseline)
	p.Saved.add(o.Saved)
	p.InputTokens.add(o.InputTokens)
	p.OutputTokens.add(o.OutputTokens)
}

func (a *Amount) add(o Amount) { a.Dollars, a.Nano = a.Dollars+o.Dollars, a.Nano+o.Nano }

func (a Amount) nano() int64 { return ToNanoUSD(a.Dollars, a.Nano) }

func (p PartialSums) toSums() Sums {
	return Sums{
		Requests: p.Requests, Unpriced: p.Unpriced,
		Routed: p.Routed.nano(), Baseline: p.Baseline.nano(), Saved: p.Saved.nano(),
		InputTokens: p.InputTokens.nano(), OutputTokens: p.OutputTokens.nano(),
	}
}

// ToNanoUSD combines dollars and nano-dollars, which may differ in sign. A result
// beyond the range of int64 becomes the nearest int64.
func ToNanoUSD(dollars, nano int64) int64 {
	const nanoPerDollar = 1_000_000_000
	dollars, nano = saturate.Add(dollars, nano/nanoPerDollar), nano%nanoPerDollar
	// Give both parts the same sign. Otherwise dollars alone can exceed the range
	// although the total fits.
	switch {
	case dollars > 0 && nano < 0:
		dollars, nano = dollars-1, nano+nanoPerDollar
	case dollars < 0 && nano > 0:
		dollars, nano = dollars+1, nano-nanoPerDollar
	}
	switch {
	case dollars > math.MaxInt64/nanoPerDollar:
		return math.MaxInt64
	case dollars < math.MinInt64/nanoPerDollar:
		return math.MinInt64
	}
	return saturate.Add(dollars*nanoPerDollar, nano)
}

// Group is one line of a breakdown.
type Group struct {
	// Value is the value that all records of the group share; empty if they have
	// none.
	Value string
	// Name is a display name. Only keys have one.
	Name string
	// Other marks the group that merges the smallest groups.
	Other bool
	Sums
	// Costs is the cost over time. Only the largest groups of a spend report have it.
	Costs []StepCost
}

// StepCost is the cost in one step of a series, in nano-USD. Start is inclusive.
type StepCost struct {
	Start   time.Time
	NanoUSD int64
}

// StepSums are the sums of one step of a series. Start is inclusive.
type StepSums struct {
	Start time.Time
	Sums
}

// Impact holds the sums of records: in total, by group and over time. The series adds
// up exactly to the total, and so do the groups, if any, except those of GroupTag. All
// steps have the same length.
type Impact struct {
	Sums
	Groups []Group
	Step   time.Duration
	Series []StepSums
	// OtherCosts is the cost over time of all groups whose Costs are nil. Only spend
	// reports have it.
	OtherCosts []StepCost
}

const oneDay = 24 * time.Hour

// SeriesStep returns the step length of a query's series. It is a day, or less
// for ranges of up to eight days.
func SeriesStep(q Query) time.Duration {
	if q.From.IsZero() {
		return oneDay
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
	case span <= 3*oneDay:
		return time.Hour
	case span <= 8*oneDay:
		return 3 * time.Hour
	}
	return oneDay
}

// MaxGroups is the maximum number of groups in a breakdown. Clients choose some
// values freely, such as the requested model, so there may be millions of groups.
const MaxGroups = 200

// maxCharted is the number of groups whose cost over time a spend report has. Readers
// cannot tell more colors apart.
const maxCharted = 6

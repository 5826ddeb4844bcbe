package store

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/signalbox/signalbox/services/dashboard/internal/codec"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

// group is what the requests of one row of sums have in common. What clients
// may choose freely is not in it: there would be as many sums as requests.
type group struct {
	account                                         string
	at                                              int64 // steps since 1970
	keyID, keyName, model, provider, route, outcome string
	stream                                          int64
}

// groupOf is the one by hour.
func groupOf(r *record.Record) group {
	name := func(s string) string { return codec.Cut(codec.Clean(s), maxName) }
	return group{
		account: codec.Clean(r.AccountID), at: hourOf(r.Time.UnixMicro()), keyID: name(r.KeyID), keyName: name(r.KeyName),
		model: name(r.Model), provider: name(r.Provider), route: string(r.Route), outcome: string(r.Outcome), stream: bit(r.Stream),
	}
}

func (g group) compare(o group) int {
	return cmp.Or(strings.Compare(g.account, o.account), cmp.Compare(g.at, o.at), strings.Compare(g.keyID, o.keyID),
		strings.Compare(g.keyName, o.keyName), strings.Compare(g.model, o.model), strings.Compare(g.provider, o.provider),
		strings.Compare(g.route, o.route), strings.Compare(g.outcome, o.outcome), cmp.Compare(g.stream, o.stream))
}

// figures are the sums of a group, in the order of the table's columns.
type figures [15]int64

const nanos = 1_000_000_000

// maxFigure is what one request adds to a sum of tokens or spans at most, so
// that no damaged record makes a sum that no column holds.
const maxFigure = 1_000_000_000_000

func (f *figures) add(r *record.Record) {
	one := figures{0: 1}
	if r.Cost == nil || r.BaselineCost == nil {
		one[1] = 1
	} else {
		one[6] = *r.BaselineCost/nanos - *r.Cost/nanos
		one[7] = *r.BaselineCost%nanos - *r.Cost%nanos
	}
	if r.Cost != nil {
		one[2], one[3] = *r.Cost/nanos, *r.Cost%nanos
	}
	if r.BaselineCost != nil {
		one[4], one[5] = *r.BaselineCost/nanos, *r.BaselineCost%nanos
	}
	t := r.Tokens
	for i, v := range []int64{t.Input, t.CacheRead, t.CacheWrite, t.Output, t.Reasoning, r.Latency, r.Gateway} {
		one[8+i] = min(max(v, 0), maxFigure)
	}
	f.join(&one)
}

func (f *figures) join(o *figures) {
	for i, v := range o {
		f[i] += v
	}
}

// sums is a table of sums of the requests by a step of time.
type sums struct {
	table
	column string // the steps since 1970
	step   int64  // microseconds, whole hours
}

// The sums, in the order in which they are stored. Days are for long spans,
// hours for what is left of them.
var (
	hourly = newSums("hourly", "hour", hourMicros)
	daily  = newSums("daily", "day", dayMicros)
)

// summedFigures are the columns of figures.
var summedFigures = []string{
	"requests", "unpriced", "routed_usd", "routed_nano", "baseline_usd", "baseline_nano", "kept_usd", "kept_nano",
	"input_tokens", "cache_read_tokens", "cache_write_tokens", "output_tokens", "reasoning_tokens",
	"latency_us", "gateway_us",
}

func newSums(name, step string, micros int64) sums {
	t := table{name: name, columns: []column{
		{"account_id", aText}, {step, aCount}, {"key_id", aText}, {"key_name", aText}, {"model", aText},
		{"provider", aText}, {"route", aText}, {"outcome", aText}, {"stream", aCount},
	}}
	var key, add []string
	for _, c := range t.columns {
		key = append(key, c.name)
	}
	for _, figure := range summedFigures {
		t.columns = append(t.columns, column{figure, aCount})
		add = append(add, figure+" = "+name+"."+figure+" + excluded."+figure)
	}
	t.key, t.conflict = strings.Join(key, ", "), strings.Join(add, ", ")
	return sums{table: t, column: step, step: micros}
}

// addUp adds the records up by hour.
func addUp(all []*record.Record) map[group]*figures {
	hours := map[group]*figures{}
	for _, r := range all {
		g := groupOf(r)
		if hours[g] == nil {
			hours[g] = &figures{}
		}
		hours[g].add(r)
	}
	return hours
}

// rows are what hours add to the table, in one order for all instances.
func (t sums) rows(hours map[group]*figures) [][]any {
	steps := make(map[group]*figures, len(hours))
	for g, f := range hours {
		g.at = floorDiv(g.at, t.step/hourMicros)
		if steps[g] == nil {
			steps[g] = &figures{}
		}
		steps[g].join(f)
	}
	rows := make([][]any, 0, len(steps))
	for _, g := range slices.SortedFunc(maps.Keys(steps), group.compare) {
		row := []any{g.account, g.at, g.keyID, g.keyName, g.model, g.provider, g.route, g.outcome, g.stream}
		for _, v := range steps[g] {
			row = append(row, v)
		}
		rows = append(rows, row)
	}
	return rows
}

package store

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/signalbox/signalbox/services/dashboard/internal/codec"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
	"github.com/signalbox/signalbox/services/dashboard/internal/store/bulk"
)

// aggregateKey holds the values that all requests of one aggregate row share. It
// contains no value that clients choose freely, such as the requested model. Such
// a value could create one row per request.
type aggregateKey struct {
	account                                         string
	at                                              int64 // the index of the hour or day, counted from 1970
	keyID, keyName, model, provider, route, outcome string
	stream                                          int64
}

func hourlyKey(r *record.Record) aggregateKey {
	return aggregateKey{
		account: codec.CleanText(r.AccountID), at: hourOf(r.Time.UnixMicro()), keyID: limitName(r.KeyID), keyName: limitName(r.KeyName),
		model: limitName(r.Model), provider: limitName(r.Provider), route: string(r.Route), outcome: string(r.Outcome), stream: toBit(r.Stream),
	}
}

func (k aggregateKey) compare(o aggregateKey) int {
	return cmp.Or(strings.Compare(k.account, o.account), cmp.Compare(k.at, o.at), strings.Compare(k.keyID, o.keyID),
		strings.Compare(k.keyName, o.keyName), strings.Compare(k.model, o.model), strings.Compare(k.provider, o.provider),
		strings.Compare(k.route, o.route), strings.Compare(k.outcome, o.outcome), cmp.Compare(k.stream, o.stream))
}

// figures are the sums of one aggregate row, in the order of figureColumns.
type figures [15]int64

// The indexes of figures.
const (
	figureRequests = iota
	figureUnpriced
	figureRoutedUSD
	figureRoutedNano
	figureBaselineUSD
	figureBaselineNano
	figureSavedUSD
	figureSavedNano
	figureInputTokens // the first of the token and duration figures
)

const nanosPerDollar = 1_000_000_000

// maxFigure is the most that one request adds to a sum of tokens or durations,
// so that a damaged record cannot overflow a column.
const maxFigure = 1_000_000_000_000

func (f *figures) addRecord(r *record.Record) {
	one := figures{figureRequests: 1}
	if r.Cost == nil || r.BaselineCost == nil {
		one[figureUnpriced] = 1
	} else {
		one[figureSavedUSD] = *r.BaselineCost/nanosPerDollar - *r.Cost/nanosPerDollar
		one[figureSavedNano] = *r.BaselineCost%nanosPerDollar - *r.Cost%nanosPerDollar
	}
	if r.Cost != nil {
		one[figureRoutedUSD], one[figureRoutedNano] = *r.Cost/nanosPerDollar, *r.Cost%nanosPerDollar
	}
	if r.BaselineCost != nil {
		one[figureBaselineUSD], one[figureBaselineNano] = *r.BaselineCost/nanosPerDollar, *r.BaselineCost%nanosPerDollar
	}
	t := r.Tokens
	for i, v := range []int64{t.Input, t.CacheRead, t.CacheWrite, t.Output, t.Reasoning, r.Latency, r.Gateway} {
		one[figureInputTokens+i] = min(max(v, 0), maxFigure)
	}
	f.merge(&one)
}

func (f *figures) merge(o *figures) {
	for i, v := range o {
		f[i] += v
	}
}

// aggregateTable is a table of sums over requests by hour or by day.
type aggregateTable struct {
	bulk.Table
	column string // the column with the index of the hour or day, counted from 1970
	step   int64  // microseconds; a multiple of an hour
}

// The aggregate tables, in the order in which inserts write them. Reads prefer daily
// for whole days, if they do not need sums by hour. They use hourly for other whole
// hours.
var (
	hourly = newAggregateTable("hourly", "hour", hourMicros)
	daily  = newAggregateTable("daily", "day", dayMicros)
)

var figureColumns = []string{
	"requests", "unpriced", "routed_usd", "routed_nano", "baseline_usd", "baseline_nano", "saved_usd", "saved_nano",
	"input_tokens", "cache_read_tokens", "cache_write_tokens", "output_tokens", "reasoning_tokens",
	"latency_us", "gateway_us",
}

func newAggregateTable(name, step string, micros int64) aggregateTable {
	t := bulk.Table{Name: name, Columns: []bulk.Column{
		bulk.Text("account_id"), bulk.Int(step), bulk.Text("key_id"), bulk.Text("key_name"), bulk.Text("model"),
		bulk.Text("provider"), bulk.Text("route"), bulk.Text("outcome"), bulk.Int("stream"),
	}}
	var key, add []string
	for _, c := range t.Columns {
		key = append(key, c.Name)
	}
	for _, figure := range figureColumns {
		t.Columns = append(t.Columns, bulk.Int(figure))
		add = append(add, figure+" = "+name+"."+figure+" + excluded."+figure)
	}
	t.Key, t.OnConflict = strings.Join(key, ", "), strings.Join(add, ", ")
	return aggregateTable{Table: t, column: step, step: micros}
}

func aggregateByHour(all []*record.Record) map[aggregateKey]*figures {
	hours := map[aggregateKey]*figures{}
	for _, r := range all {
		g := hourlyKey(r)
		if hours[g] == nil {
			hours[g] = &figures{}
		}
		hours[g].addRecord(r)
	}
	return hours
}

// buildRows returns the table's rows for hourly sums. The rows are sorted, because
// dashboards that lock the same rows in different orders could deadlock.
func (t aggregateTable) buildRows(hours map[aggregateKey]*figures) [][]any {
	steps := make(map[aggregateKey]*figures, len(hours))
	for g, f := range hours {
		g.at = floorDiv(g.at, t.step/hourMicros)
		if steps[g] == nil {
			steps[g] = &figures{}
		}
		steps[g].merge(f)
	}
	rows := make([][]any, 0, len(steps))
	for _, g := range slices.SortedFunc(maps.Keys(steps), aggregateKey.compare) {
		row := []any{g.account, g.at, g.keyID, g.keyName, g.model, g.provider, g.route, g.outcome, g.stream}
		for _, v := range steps[g] {
			row = append(row, v)
		}
		rows = append(rows, row)
	}
	return rows
}

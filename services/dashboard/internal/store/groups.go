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

// groupTable is a table of sums by the values that clients choose, by hour or by day. Unlike
// the other aggregates, it has a row per value.
type groupTable struct {
	aggregateTable
	dimensions []record.GroupBy
}

// The group tables, in the order in which inserts write them. Most sessions end within the
// hour, so sums of sessions by day would have as many rows as those by hour.
var (
	groupHourly = newGroupTable("group_hourly", "hour", hourMicros, record.GroupAgent, record.GroupUser, record.GroupTag, record.GroupSession)
	groupDaily  = newGroupTable("group_daily", "day", dayMicros, record.GroupAgent, record.GroupUser, record.GroupTag, groupBudget)
)

// groupFigures is how many of figureColumns the tables have: all sums of money.
const groupFigures = figureSavedNano + 1

// groupBudget is the dimension of group budgets. The value contains the hour, because a budget
// can be for an hour.
const groupBudget record.GroupBy = "budget"

func newGroupTable(name, step string, micros int64, dimensions ...record.GroupBy) groupTable {
	t := bulk.Table{Name: name, Key: "account_id, dimension, " + step + ", value", Columns: []bulk.Column{
		bulk.Text("account_id"), bulk.Text("dimension"), bulk.Int(step), bulk.Text("value"),
	}}
	var add []string
	for _, figure := range figureColumns[:groupFigures] {
		t.Columns = append(t.Columns, bulk.Int(figure))
		add = append(add, figure+" = "+name+"."+figure+" + excluded."+figure)
	}
	t.OnConflict = strings.Join(add, ", ")
	return groupTable{aggregateTable{Table: t, column: step, step: micros}, dimensions}
}

type groupKey struct {
	account   string
	dimension record.GroupBy
	at        int64 // the index of the hour or day, counted from 1970
	value     string
}

func (k groupKey) compare(o groupKey) int {
	return cmp.Or(strings.Compare(k.account, o.account), cmp.Compare(k.dimension, o.dimension), cmp.Compare(k.at, o.at), strings.Compare(k.value, o.value))
}

func groupByHour(all []*record.Record) map[groupKey]*figures {
	hours := map[groupKey]*figures{}
	for _, r := range all {
		var one figures
		one.addRecord(r)
		eachGroup(r, func(by record.GroupBy, value string) {
			k := groupKey{codec.CleanText(r.AccountID), by, hourOf(r.Time.UnixMicro()), value}
			if hours[k] == nil {
				hours[k] = &figures{}
			}
			hours[k].merge(&one)
		})
	}
	return hours
}

// buildRows returns the table's rows for hourly sums. The rows are sorted, because
// dashboards that lock the same rows in different orders could deadlock.
func (t groupTable) buildRows(hours map[groupKey]*figures) [][]any {
	steps := make(map[groupKey]*figures, len(hours))
	for k, f := range hours {
		if !slices.Contains(t.dimensions, k.dimension) {
			continue
		}
		k.at = floorDiv(k.at, t.step/hourMicros)
		if steps[k] == nil {
			steps[k] = &figures{}
		}
		steps[k].merge(f)
	}
	rows := make([][]any, 0, len(steps))
	for _, k := range slices.SortedFunc(maps.Keys(steps), groupKey.compare) {
		row := []any{k.account, string(k.dimension), k.at, k.value}
		for _, v := range steps[k][:groupFigures] {
			row = append(row, v)
		}
		rows = append(rows, row)
	}
	return rows
}

// eachGroup calls add with every group of a record, by the values that its row has.
func eachGroup(r *record.Record, add func(by record.GroupBy, value string)) {
	add(record.GroupAgent, codec.CleanText(r.Agent))
	add(record.GroupUser, limitName(r.User))
	add(record.GroupSession, limitName(r.Session))
	for _, budget := range r.Budgets {
		add(groupBudget, limitName(record.BudgetHour(r.Time, budget)))
	}
	tags := tagsOf(r)
	if len(tags) == 0 {
		tags = []string{""}
	}
	for _, tag := range tags {
		add(record.GroupTag, tag)
	}
}

// tagsOf returns the tags in the column labels of a record, each once.
func tagsOf(r *record.Record) []string {
	if r.Inputs == nil {
		return nil
	}
	var tags []string
	for _, tag := range r.Inputs.Tags[:min(len(r.Inputs.Tags), maxTags)] {
		tags = append(tags, strings.TrimPrefix(limitName(tagPrefix+tag), tagPrefix))
	}
	slices.Sort(tags)
	return slices.Compact(tags)
}

// hasGroups reports whether the table has the sums of a grouping. It has no sums of requests
// that match a filter.
func (t groupTable) hasGroups(q record.Query, by record.GroupBy) bool {
	return by != groupBudget && len(q.Terms) == 0 && slices.Contains(t.dimensions, by)
}

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

// groupTable has the sums of each day by the values that clients choose, and by group budgets. Unlike the other
// aggregates, it has a row per value. A session that costs a row here has one in the table
// sessions too.
var groupTable = newGroupTable()

// groupFigures is how many of figureColumns the table has: all sums of money.
const groupFigures = figureSavedNano + 1

// groupBudget is the dimension of group budgets. A record has a row for each of its budgets,
// by the hour, because a budget can be for an hour.
const groupBudget record.GroupBy = "budget"

func newGroupTable() bulk.Table {
	t := bulk.Table{Name: "group_daily", Key: "account_id, dimension, day, value", Columns: []bulk.Column{
		bulk.Text("account_id"), bulk.Text("dimension"), bulk.Int("day"), bulk.Text("value"),
	}}
	var add []string
	for _, figure := range figureColumns[:groupFigures] {
		t.Columns = append(t.Columns, bulk.Int(figure))
		add = append(add, figure+" = group_daily."+figure+" + excluded."+figure)
	}
	t.OnConflict = strings.Join(add, ", ")
	return t
}

type groupKey struct {
	account   string
	dimension record.GroupBy
	day       int64
	value     string
}

func (k groupKey) compare(o groupKey) int {
	return cmp.Or(strings.Compare(k.account, o.account), cmp.Compare(k.dimension, o.dimension), cmp.Compare(k.day, o.day), strings.Compare(k.value, o.value))
}

// groupRows returns the rows that add records to their groups. The rows are sorted, because
// dashboards that lock the same rows in different orders could deadlock.
func groupRows(all []*record.Record) [][]any {
	sums := map[groupKey]*figures{}
	for _, r := range all {
		var one figures
		one.addRecord(r)
		eachGroup(r, func(by record.GroupBy, value string) {
			k := groupKey{codec.CleanText(r.AccountID), by, floorDiv(r.Time.UnixMicro(), dayMicros), value}
			if sums[k] == nil {
				sums[k] = &figures{}
			}
			sums[k].merge(&one)
		})
	}
	rows := make([][]any, 0, len(sums))
	for _, k := range slices.SortedFunc(maps.Keys(sums), groupKey.compare) {
		row := []any{k.account, string(k.dimension), k.day, k.value}
		for _, v := range sums[k][:groupFigures] {
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

// hasDailyGroups reports whether groupTable has the sums of a grouping. It has no sums of
// requests that match a filter.
func hasDailyGroups(q record.Query, by record.GroupBy, step int64) bool {
	switch by {
	case record.GroupAgent, record.GroupUser, record.GroupSession, record.GroupTag:
		return len(q.Terms) == 0 && step%dayMicros == 0
	}
	return false
}

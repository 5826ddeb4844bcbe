package store

import (
	"fmt"
	"strings"

	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

// aggregation describes a query that sums up requests by columns and by time
// step.
type aggregation struct {
	by            record.GroupBy
	names         string // the names of the columns of a result row
	columns       string // the first columns of a result row; the index of the step follows
	groupBy       string // the columns to group by
	requestSums   string // the sums over request rows
	aggregateSums string // the same sums over aggregate rows
	groupRow      string // the same figures of a row of a group table
	step          int64  // microseconds
	tokens        bool   // sums up tokens in place of savings; reads no aggregate table, because none has tokens
	allAccounts   bool   // sums up the requests of all accounts instead of those of the query's
}

// buildAggregation returns the start of a statement for an aggregation over a query: the
// table parts with the sums. If an aggregate table has the needed columns and the step is
// a multiple of the table's step, parts has whole days or hours from that table, and the
// rest from the table requests. The same group may therefore occur in several rows.
func (s *Store) buildAggregation(q record.Query, t aggregation) (string, []any) {
	w := s.newWhere(q)
	if t.allAccounts {
		w = s.newInstallationWhere(q)
	}
	w.addLabelIndex(q.Terms)
	t.columns = w.bindMetadata(t.columns, t.by)
	b := aggregationBuilder{where: w, aggregation: t, conditions: w.text.String()}
	left, covers := []timeRange{queryRange(q)}, t.by
	groups := b.addGroups(q)
	if t.by == record.GroupTag {
		covers = "" // the total has no groups
		for _, in := range groups {
			b.setRange("time_us", in)
			b.selects = append(b.selects, w.tagGroups(t))
		}
	} else {
		left = groups
	}
	if !t.tokens && coveredByAggregates(q.Terms, covers) {
		for _, table := range []aggregateTable{daily, hourly} {
			left = b.addWhole(left, table, func(whole timeRange, step int64) {
				b.addSelect(t.columns, t.aggregateSums, table.Name, table.column, whole, step)
			})
		}
	}
	for _, edge := range left {
		b.addSelect(t.columns, t.requestSums, "requests", "time_us", edge, t.step)
	}
	// Without MATERIALIZED, Postgres applies the caller's ORDER BY to all rows before
	// it sums them.
	return "WITH parts (" + t.names + ") AS MATERIALIZED (" + strings.Join(b.selects, " UNION ALL ") + ")", w.args
}

// aggregationBuilder collects the statements of an aggregation.
type aggregationBuilder struct {
	aggregation
	where *whereClause
	// conditions is the condition of the query, without its time range.
	conditions string
	selects    []string
}

// setRange makes the condition that of the query with another time range.
func (b *aggregationBuilder) setRange(column string, in timeRange) {
	b.where.text.Reset()
	b.where.text.WriteString(b.conditions)
	b.where.addRange(column, in)
}

func (b *aggregationBuilder) addSelect(columns, figures, table, column string, in timeRange, step int64) {
	b.setRange(column, in)
	b.selects = append(b.selects, "SELECT "+columns+", "+floorDivSQL(column, step)+" AS step_number, "+figures+" FROM "+table+
		" WHERE "+b.where.text.String()+" GROUP BY "+b.groupBy+", step_number")
}

// addWhole calls add with the whole days or hours of the ranges, if the step is a multiple of that of
// a table. It passes how many steps of the table are one. It returns the rest of the ranges.
func (b *aggregationBuilder) addWhole(ranges []timeRange, table aggregateTable, add func(whole timeRange, step int64)) []timeRange {
	if b.step%table.step != 0 {
		return ranges
	}
	var rest []timeRange
	for _, in := range ranges {
		whole, edges := in.splitWhole(table.step)
		if rest = append(rest, edges...); !whole.isEmpty() {
			add(whole, b.step/table.step)
		}
	}
	return rest
}

// addGroups reads the groups of whole days and hours from the group tables that have them. It
// returns the ranges of the other groups.
func (b *aggregationBuilder) addGroups(q record.Query) []timeRange {
	left := []timeRange{queryRange(q)}
	for _, table := range []groupTable{groupDaily, groupHourly} {
		if !b.tokens && table.hasGroups(q, b.by) {
			left = b.addWhole(left, table.aggregateTable, func(whole timeRange, step int64) { b.addGroupRows(table, whole, step) })
		}
	}
	return left
}

// addGroupRows reads the rows of a group table as they are. To sum millions of different groups by
// step would take longer than to read them.
func (b *aggregationBuilder) addGroupRows(table groupTable, whole timeRange, step int64) {
	b.setRange(table.column, whole)
	b.selects = append(b.selects, "SELECT value AS of_group, '', "+floorDivSQL(table.column, step)+" AS step_number, "+b.groupRow+" FROM "+table.Name+
		" WHERE "+b.where.text.String()+" AND dimension = '"+string(b.by)+"'")
}

// floorDivSQL returns an expression that divides and rounds down, also for
// negative values.
func floorDivSQL(column string, by int64) string {
	if by == 1 {
		return column
	}
	return fmt.Sprintf("(%[1]s - (%[1]s %% %[2]d + %[2]d) %% %[2]d) / %[2]d", column, by)
}

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
	columns       string // the first columns of a result row; the index of the step follows
	groupBy       string // the columns to group by
	requestSums   string // the sums over request rows
	aggregateSums string // the same sums over aggregate rows
	step          int64  // microseconds
	tokens        bool   // sums up tokens in place of savings; reads no aggregate table, because none has tokens
	allAccounts   bool   // sums up the requests of all accounts instead of those of the query's
}

// buildAggregation returns the statement for an aggregation over a query. If an
// aggregate table has the needed columns and the step is a multiple of the table's
// step, the statement reads whole days or hours from that table. It reads the rest
// from the table requests. The same group may therefore occur in several result rows.
func (s *Store) buildAggregation(q record.Query, t aggregation) (string, []any) {
	w := s.newWhere(q)
	if t.allAccounts {
		w = s.newInstallationWhere(q)
	}
	w.addLabelIndex(q.Terms)
	t.columns = w.bindMetadata(t.columns, t.by)
	b := aggregationBuilder{where: w, aggregation: t, conditions: w.text.String()}
	left, covers := []timeRange{queryRange(q)}, t.by
	groups := b.addDailyGroups(q)
	if t.by == record.GroupTag {
		covers = "" // the total has no groups
		for _, in := range groups {
			b.setRange("time_us", in)
			b.selects = append(b.selects, w.tagGroups(t))
		}
	} else {
		left = groups
	}
	for _, aggregate := range []aggregateTable{daily, hourly} {
		if t.tokens || !coveredByAggregates(q.Terms, covers) || t.step%aggregate.step != 0 {
			continue
		}
		var edges []timeRange
		for _, in := range left {
			whole, beside := in.splitWhole(aggregate.step)
			if edges = append(edges, beside...); !whole.isEmpty() {
				b.addSelect(t.columns, t.aggregateSums, aggregate.Name, aggregate.column, whole, t.step/aggregate.step)
			}
		}
		left = edges
	}
	for _, edge := range left {
		b.addSelect(t.columns, t.requestSums, "requests", "time_us", edge, t.step)
	}
	// Without MATERIALIZED, Postgres applies the caller's ORDER BY to all rows before
	// it sums them.
	return "WITH parts AS MATERIALIZED (" + strings.Join(b.selects, " UNION ALL ") + ") SELECT * FROM parts", w.args
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

// addDailyGroups reads the groups of whole days from groupTable, if it has them. It returns
// the ranges of the other groups.
func (b *aggregationBuilder) addDailyGroups(q record.Query) []timeRange {
	if b.tokens || !hasDailyGroups(q, b.by, b.step) {
		return []timeRange{queryRange(q)}
	}
	whole, edges := queryRange(q).splitWhole(dayMicros)
	if !whole.isEmpty() {
		table := "(SELECT * FROM group_daily WHERE dimension = '" + string(b.by) + "') AS grouped"
		b.addSelect("value AS of_group, MAX('')", b.aggregateSums, table, "day", whole, b.step/dayMicros)
	}
	return edges
}

// floorDivSQL returns an expression that divides and rounds down, also for
// negative values.
func floorDivSQL(column string, by int64) string {
	if by == 1 {
		return column
	}
	return fmt.Sprintf("(%[1]s - (%[1]s %% %[2]d + %[2]d) %% %[2]d) / %[2]d", column, by)
}

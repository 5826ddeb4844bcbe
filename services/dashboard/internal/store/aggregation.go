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
}

// buildAggregation returns the statement for an aggregation over a query. If an
// aggregate table has the needed columns and the step is a multiple of the table's
// step, the statement reads whole days or hours from that table. It reads the rest
// from the table requests. The same group may therefore occur in several result rows.
func (s *Store) buildAggregation(q record.Query, t aggregation) (string, []any) {
	w := s.newWhere(q).addLabelIndex(q.Terms)
	t.columns = w.bindMetadata(t.columns, t.by)
	conditions := w.text.String()
	var selects []string
	addSelect := func(figures, table, column string, in timeRange, step int64) {
		w.text.Reset()
		w.text.WriteString(conditions)
		w.addRange(column, in)
		selects = append(selects, "SELECT "+t.columns+", "+floorDivSQL(column, step)+" AS step_number, "+figures+" FROM "+table+
			" WHERE "+w.text.String()+" GROUP BY "+t.groupBy+", step_number")
	}
	left := []timeRange{queryRange(q)}
	covers := t.by
	if t.by == record.GroupTag {
		covers = "" // the total has no groups
		selects = append(selects, w.addRange("time_us", queryRange(q)).tagGroups(t))
	}
	for _, aggregate := range []aggregateTable{daily, hourly} {
		if !coveredByAggregates(q.Terms, covers) || t.step%aggregate.step != 0 {
			continue
		}
		var edges []timeRange
		for _, in := range left {
			whole, beside := in.splitWhole(aggregate.step)
			if edges = append(edges, beside...); !whole.isEmpty() {
				addSelect(t.aggregateSums, aggregate.Name, aggregate.column, whole, t.step/aggregate.step)
			}
		}
		left = edges
	}
	for _, edge := range left {
		addSelect(t.requestSums, "requests", "time_us", edge, t.step)
	}
	// Without MATERIALIZED, Postgres applies the caller's ORDER BY to all rows before
	// it sums them.
	return "WITH parts AS MATERIALIZED (" + strings.Join(selects, " UNION ALL ") + ") SELECT * FROM parts", w.args
}

// floorDivSQL returns an expression that divides and rounds down, also for
// negative values.
func floorDivSQL(column string, by int64) string {
	if by == 1 {
		return column
	}
	return fmt.Sprintf("(%[1]s - (%[1]s %% %[2]d + %[2]d) %% %[2]d) / %[2]d", column, by)
}

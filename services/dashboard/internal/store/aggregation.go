package store

import (
	"fmt"
	"strings"

	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

// aggregation describes a query that sums up requests by keys and time steps.
type aggregation struct {
	by      record.GroupBy
	columns string // the first columns of a result row; the time follows
	keys    string // the columns to group by
	rows    string // the sums over request rows
	sums    string // the same sums over aggregate rows
	step    int64  // microseconds
}

// buildAggregation returns the statement for an aggregation over a query. It reads
// whole days and hours from the aggregate tables and the remaining edges from
// requests, so the same keys may occur in several result rows.
func (s *Store) buildAggregation(q record.Query, t aggregation) (string, []any) {
	w := s.newWhere(q)
	conditions := w.text.String()
	var arms []string
	arm := func(figures, table, column string, in timeRange, step int64) {
		w.text.Reset()
		w.text.WriteString(conditions)
		w.addRange(column, in)
		arms = append(arms, "SELECT "+t.columns+", "+floorDivSQL(column, step)+" AS of_time, "+figures+" FROM "+table+
			" WHERE "+w.text.String()+" GROUP BY "+t.keys+", of_time")
	}
	left := []timeRange{queryRange(q)}
	for _, known := range []aggregateTable{daily, hourly} {
		if !coveredByAggregates(q.Terms, t.by) || t.step%known.step != 0 {
			continue
		}
		var edges []timeRange
		for _, in := range left {
			whole, beside := in.splitWhole(known.step)
			if edges = append(edges, beside...); !whole.isEmpty() {
				arm(t.sums, known.name, known.column, whole, t.step/known.step)
			}
		}
		left = edges
	}
	for _, edge := range left {
		arm(t.rows, "requests", "time_us", edge, t.step)
	}
	// Materialize before the caller's ORDER BY: otherwise Postgres sorts all rows
	// before it sums them.
	return "WITH parts AS MATERIALIZED (" + strings.Join(arms, " UNION ALL ") + ") SELECT * FROM parts", w.args
}

// floorDivSQL returns an expression that divides and rounds down, also for
// negative values.
func floorDivSQL(column string, by int64) string {
	if by == 1 {
		return column
	}
	return fmt.Sprintf("(%[1]s - (%[1]s %% %[2]d + %[2]d) %% %[2]d) / %[2]d", column, by)
}

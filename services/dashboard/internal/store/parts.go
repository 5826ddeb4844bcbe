package store

import (
	"fmt"
	"strings"

	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

// total is what is to be added up, by what, and in what steps of time.
type total struct {
	by      record.GroupBy
	columns string // what a line begins with; the time comes after
	keys    string // those of the columns that it is grouped by
	rows    string // sums of rows
	sums    string // the same of sums
	step    int64  // microseconds
}

// parts is the statement for a total over what a query finds. The same keys may
// come more than once: of whole days, of the hours beside them, and of rows at
// the edges of those.
func (s *Store) parts(q record.Query, t total) (string, []any) {
	w := s.of(q)
	conditions := w.text.String()
	var arms []string
	arm := func(figures, table, column string, in span, step int64) {
		w.text.Reset()
		w.text.WriteString(conditions)
		w.within(column, in)
		arms = append(arms, "SELECT "+t.columns+", "+floored(column, step)+" AS of_time, "+figures+" FROM "+table+
			" WHERE "+w.text.String()+" GROUP BY "+t.keys+", of_time")
	}
	left := []span{spanOf(q)}
	for _, known := range []sums{daily, hourly} {
		if !summed(q.Terms, t.by) || t.step%known.step != 0 {
			continue
		}
		var edges []span
		for _, in := range left {
			whole, beside := in.whole(known.step)
			if edges = append(edges, beside...); !whole.empty() {
				arm(t.sums, known.name, known.column, whole, t.step/known.step)
			}
		}
		left = edges
	}
	for _, edge := range left {
		arm(t.rows, "requests", "time_us", edge, t.step)
	}
	// Apart from what puts it in order: many rows are sorted slower than added up.
	return "WITH parts AS MATERIALIZED (" + strings.Join(arms, " UNION ALL ") + ") SELECT * FROM parts", w.args
}

// floored divides and rounds down, also what is negative.
func floored(column string, by int64) string {
	if by == 1 {
		return column
	}
	return fmt.Sprintf("(%[1]s - (%[1]s %% %[2]d + %[2]d) %% %[2]d) / %[2]d", column, by)
}

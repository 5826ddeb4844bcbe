package store

import (
	"fmt"
	"strings"

	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

const dayMicros = 24 * hourMicros

// total is what is to be added up, by what, and in what steps of time.
type total struct {
	by      record.GroupBy
	columns string // what a line begins with; the time comes after
	keys    string // those of the columns that it is grouped by
	rows    string // sums of rows
	hours   string // the same of the sums by hour
	step    int64  // microseconds
}

// parts is the statement for a total over what a query finds. The same keys may
// come more than once, of whole hours and of the edges beside them.
func (s *Store) parts(q record.Query, t total) (string, []any) {
	w := s.of(q)
	conditions := w.text.String()
	var arms []string
	arm := func(sums, column string, in span, step int64) {
		w.text.Reset()
		w.text.WriteString(conditions)
		w.within(column, in)
		arms = append(arms, "SELECT "+t.columns+", "+floored(column, step)+" AS of_time, "+sums+
			" WHERE "+w.text.String()+" GROUP BY "+t.keys+", of_time")
	}
	edges := []span{spanOf(q)}
	if summed(q.Terms, t.by) && t.step%hourMicros == 0 {
		var whole span
		if whole, edges = spanOf(q).hours(); !whole.empty() {
			arm(t.hours, "hour", whole, t.step/hourMicros)
		}
	}
	for _, edge := range edges {
		arm(t.rows, "time_us", edge, t.step)
	}
	return strings.Join(arms, " UNION ALL "), w.args
}

// floored divides and rounds down, also what is negative.
func floored(column string, by int64) string {
	return fmt.Sprintf("(%[1]s - (%[1]s %% %[2]d + %[2]d) %% %[2]d) / %[2]d", column, by)
}

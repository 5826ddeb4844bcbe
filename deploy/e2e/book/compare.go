package book

import (
	"cmp"
	"slices"
)

// comparison is one in the making.
type comparison struct {
	*Books
	report Report
	// calls are by mark, in the order in which they were made.
	calls map[string][]Call
	// byID and byMark have the rows; known whether a client asked for one.
	byID, byMark map[string][]*Row
	known        map[*Row]bool
}

// Compare finds every difference between the books.
func Compare(b *Books) Report {
	c := &comparison{Books: b, calls: map[string][]Call{}, byID: map[string][]*Row{}, byMark: map[string][]*Row{}, known: map[*Row]bool{}}
	c.report = Report{Requests: len(b.Requests), Calls: len(b.Calls), Rows: len(b.Rows)}
	c.index()
	for i := range b.Requests {
		c.request(&b.Requests[i])
	}
	c.phantoms()
	c.sums()
	slices.SortStableFunc(c.report.Differences, func(a, b Difference) int { return cmp.Compare(a.Kind, b.Kind) })
	return c.report
}

func (c *comparison) index() {
	for _, call := range c.Calls {
		c.calls[call.Mark] = append(c.calls[call.Mark], call)
	}
	for i := range c.Rows {
		row := &c.Rows[i]
		c.byID[row.ID] = append(c.byID[row.ID], row)
		if row.Mark != "" {
			c.byMark[row.Mark] = append(c.byMark[row.Mark], row)
		}
	}
}

// request looks for the one row of a request, and at what it says.
func (c *comparison) request(r *Request) {
	name := cmp.Or(r.ID, r.Mark)
	if !c.satisfied(r) {
		c.report.add(Failed, name, "%s: status %d, want %d, whole %t, %s", r.Mark, r.Status, r.Want, r.Whole, r.Err)
	}
	rows := c.rowsOf(r)
	for _, row := range rows {
		c.known[row] = true
	}
	switch {
	case len(rows) > 1:
		c.report.add(Doubled, name, "%d rows", len(rows))
	case len(rows) == 1:
		c.outcome(r, rows[0])
		c.money(r, rows[0])
	case r.ID != "":
		c.report.add(Lost, name, "%s was answered with %d and has no row", r.Mark, r.Status)
	case len(c.calls[r.Mark]) > 0:
		c.report.add(Lost, name, "a provider was called %d times and there is no row", len(c.calls[r.Mark]))
	}
}

// rowsOf are those that the client knows by their id, or that name its mark.
func (c *comparison) rowsOf(r *Request) []*Row {
	var rows []*Row
	if r.ID != "" {
		rows = append(rows, c.byID[r.ID]...)
	}
	for _, row := range c.byMark[r.Mark] {
		if !slices.Contains(rows, row) {
			rows = append(rows, row)
		}
	}
	return rows
}

// satisfied is whether a client got what it must get.
func (c *comparison) satisfied(r *Request) bool {
	if r.Left || r.Status == r.Want && r.Whole {
		return true
	}
	// Whoever was cut off has no answer, or not the whole of one.
	return (r.Status == 0 || r.Status == r.Want) && c.excused(r)
}

func (c *comparison) phantoms() {
	for i := range c.Rows {
		if row := &c.Rows[i]; !c.known[row] {
			c.report.add(Phantom, row.ID, "a row (%s, mark %q) of no request", row.Outcome, row.Mark)
		}
	}
	marks := map[string]bool{}
	for i := range c.Requests {
		marks[c.Requests[i].Mark] = true
	}
	for mark := range c.calls {
		if !marks[mark] {
			c.report.add(Phantom, mark, "a call of no request")
		}
	}
}

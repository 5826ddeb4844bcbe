package reconcile

import (
	"cmp"
	"slices"
)

// comparison is the state of one Compare.
type comparison struct {
	*Books
	report Report
	// calls holds the calls by mark, in order.
	calls map[string][]Call
	// byID and byMark index the rows. known holds the rows that belong to a request.
	byID, byMark map[string][]*Row
	known        map[*Row]bool
}

// Compare returns every difference between the three views.
func Compare(b *Books) Report {
	c := &comparison{Books: b, calls: map[string][]Call{}, byID: map[string][]*Row{}, byMark: map[string][]*Row{}, known: map[*Row]bool{}}
	c.report = Report{Requests: len(b.Requests), Calls: len(b.Calls), Rows: len(b.Rows)}
	c.indexRows()
	for i := range b.Requests {
		c.checkRequest(&b.Requests[i])
	}
	c.checkPhantoms()
	c.checkSums()
	slices.SortStableFunc(c.report.Differences, func(a, b Difference) int { return cmp.Compare(a.Kind, b.Kind) })
	return c.report
}

func (c *comparison) indexRows() {
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

// checkRequest finds the row of a request and checks it.
func (c *comparison) checkRequest(r *Request) {
	name := cmp.Or(r.ID, r.Mark)
	if !c.isSatisfied(r) {
		c.report.addDifference(Failed, name, "%s: status %d, want %d, complete %t, %s%s", r.Mark, r.Status, r.Want, r.Complete, r.Err, r.Unexpected)
	}
	rows := c.findRows(r)
	for _, row := range rows {
		c.known[row] = true
	}
	switch {
	case len(rows) > 1:
		c.report.addDifference(Doubled, name, "%d rows", len(rows))
	case len(rows) == 1:
		c.checkOutcome(r, rows[0])
		c.checkMoney(r, rows[0])
	case r.ID != "" && !c.wasRefused(r):
		c.report.addDifference(Lost, name, "%s: status %d was sent, but there is no row", r.Mark, r.Status)
	case len(c.calls[r.Mark]) > 0:
		c.report.addDifference(Lost, name, "a provider received %d calls, but there is no row", len(c.calls[r.Mark]))
	}
}

// findRows returns the rows with the id or the mark of the request.
func (c *comparison) findRows(r *Request) []*Row {
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

// isSatisfied reports whether the client got the expected response.
func (c *comparison) isSatisfied(r *Request) bool {
	if r.Left || r.Status == r.Want && r.Complete {
		return true
	}
	// During an outage the response may be missing or cut off.
	return (r.Status == 0 || r.Status == r.Want || c.mayBeUnavailable(r)) && c.overlapsOutage(r)
}

// wasRefused reports whether a process that was shutting down, or a balancer, rejected a
// request before a provider was called. Such a request may have no row, because its key may not be verified.
func (c *comparison) wasRefused(r *Request) bool {
	return c.mayBeUnavailable(r) && len(c.calls[r.Mark]) == 0
}

func (c *comparison) checkPhantoms() {
	for i := range c.Rows {
		if row := &c.Rows[i]; !c.known[row] {
			c.report.addDifference(Phantom, row.ID, "row (%s, mark %q) without a request", row.Outcome, row.Mark)
		}
	}
	marks := map[string]bool{}
	for i := range c.Requests {
		marks[c.Requests[i].Mark] = true
	}
	for mark := range c.calls {
		if !marks[mark] {
			c.report.addDifference(Phantom, mark, "call without a request")
		}
	}
}

package book

import "slices"

// The outcomes of rows.
const (
	ok           = "ok"
	failed       = "error"
	rejected     = "rejected"
	clientClosed = "client_closed"
	aborted      = "aborted"
)

// outcome holds a row's end against what the client saw.
func (c *comparison) outcome(r *Request, row *Row) {
	may := c.endings(r)
	if !slices.Contains(may, row.Outcome) {
		c.report.add(Outcome, row.ID, "%q, want one of %v: the client saw status %d, whole %t, left %t", row.Outcome, may, r.Status, r.Whole, r.Left)
	}
	if r.Status != 0 && row.Status != r.Status && row.Outcome != aborted {
		c.report.add(Outcome, row.ID, "status %d, the client saw %d", row.Status, r.Status)
	}
}

// endings are the outcomes that a row of the request may have.
func (c *comparison) endings(r *Request) []string {
	calls := c.calls[r.Mark]
	finished := len(calls) > 0 && calls[len(calls)-1].Finished
	switch {
	case r.Whole && r.Status < 400:
		return []string{ok}
	case r.Whole && r.Status < 500:
		return []string{rejected}
	case r.Whole:
		return []string{failed, rejected}
	case r.Left && c.excused(r):
		return []string{clientClosed, aborted, ok}
	case r.Left && finished:
		return []string{clientClosed, ok}
	case r.Left:
		return []string{clientClosed}
	}
	if r.Want >= 400 {
		return []string{rejected} // whose answer was cut off
	}
	return []string{aborted, ok}
}

// sums holds what the ledger says of all rows against the rows.
func (c *comparison) sums() {
	if c.Sums == nil {
		return
	}
	var want Sums
	for i := range c.Rows {
		row := &c.Rows[i]
		want.Requests++
		want.Received++
		if row.Cost == nil || row.Baseline == nil {
			want.Unpriced++
			continue
		}
		want.Routed = add(want.Routed, *row.Cost)
		want.Baseline = add(want.Baseline, *row.Baseline)
		want.Kept = add(want.Kept, *row.Baseline-*row.Cost)
	}
	if *c.Sums != want {
		c.report.add(Total, "sums", "the ledger says %+v, its rows %+v", *c.Sums, want)
	}
}

package reconcile

import "slices"

// The outcomes of records.
const (
	ok           = "ok"
	failed       = "error"
	rejected     = "rejected"
	clientClosed = "client_closed"
	aborted      = "aborted"
	interrupted  = "interrupted"
)

// unavailable is the status of a process that is shutting down.
const unavailable = 503

// checkOutcome compares the outcome of a row with what the client saw.
func (c *comparison) checkOutcome(r *Request, row *Row) {
	may := c.possibleOutcomes(r)
	if !slices.Contains(may, row.Outcome) {
		c.report.addDifference(Outcome, row.ID, "%q, want one of %v: the client saw status %d, complete %t, left %t", row.Outcome, may, r.Status, r.Complete, r.Left)
	}
	if r.Status != 0 && row.Status != r.Status && row.Outcome != aborted && !c.answeredByBalancer(r) {
		c.report.addDifference(Outcome, row.ID, "status %d, but the client saw %d", row.Status, r.Status)
	}
}

// answeredByBalancer reports whether a balancer may have answered instead of the process that
// wrote the row.
func (c *comparison) answeredByBalancer(r *Request) bool {
	return r.Status == unavailable && c.overlapsBalanced(r)
}

// possibleOutcomes returns the outcomes that the row of a request may have.
func (c *comparison) possibleOutcomes(r *Request) []string {
	calls := c.calls[r.Mark]
	finished := len(calls) > 0 && calls[len(calls)-1].Finished
	switch {
	case c.answeredByBalancer(r):
		return []string{aborted, ok, interrupted, failed, rejected}
	case r.Complete && r.Status < 400:
		return []string{ok}
	case r.Complete && r.Status < 500:
		return []string{rejected}
	case r.Complete:
		return []string{failed, rejected}
	case r.Left && c.overlapsDrain(r):
		return []string{clientClosed, aborted, ok, interrupted}
	case r.Left && c.overlapsOutage(r):
		return []string{clientClosed, aborted, ok}
	case r.Left && finished:
		return []string{clientClosed, ok}
	case r.Left:
		return []string{clientClosed}
	}
	if r.Want >= 400 {
		return []string{rejected} // the error response was cut off
	}
	if c.overlapsDrain(r) {
		return []string{aborted, ok, interrupted}
	}
	return []string{aborted, ok}
}

// mayArriveTwice reports whether a record may have arrived under two numbers. While the disk of
// a proxy is full, records are sent from its memory, and their START frames stay on the disk. If
// the proxy is killed later, the next one sends these requests again, as aborted. The ledger
// ignores them, because it has their ids.
func (c *comparison) mayArriveTwice() bool {
	return slices.ContainsFunc(c.Outages, func(o Outage) bool { return o.Drains })
}

// checkSums compares the totals of the ledger with the sums of its rows.
func (c *comparison) checkSums() {
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
		want.Routed = addAmounts(want.Routed, *row.Cost)
		want.Baseline = addAmounts(want.Baseline, *row.Baseline)
		want.Saved = addAmounts(want.Saved, *row.Baseline-*row.Cost)
	}
	got := *c.Sums
	if c.mayArriveTwice() && got.Received > want.Received {
		got.Received = want.Received
	}
	if got != want {
		c.report.addDifference(Total, "sums", "the ledger reports %+v, its rows add up to %+v", *c.Sums, want)
	}
}

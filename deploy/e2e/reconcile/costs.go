package reconcile

import "slices"

// checkMoney compares the amounts of a row with the usage that the providers
// reported.
func (c *comparison) checkMoney(r *Request, row *Row) {
	if row.Cost == nil || row.Baseline == nil || row.Saved == nil {
		c.report.addDifference(Money, row.ID, "an amount is missing although every model has a price")
		return
	}
	if row.Outcome != aborted {
		c.checkAttempts(r, row)
	}
	want := int64(0)
	for _, a := range row.Attempts {
		if a.Cost != nil {
			want = addAmounts(want, *a.Cost)
		}
	}
	if len(row.Attempts) == 1 && row.Outcome == aborted {
		want = Cost(c.Prices[row.Attempts[0].Model], row.Tokens)
	}
	c.checkAmount(row, "cost", *row.Cost, want)
	if r.ReportedCost != nil {
		c.checkAmount(row, "cost header of the response", *r.ReportedCost, *row.Cost)
	}
	c.checkAmount(row, "baseline", *row.Baseline, c.expectedBaseline(r, row))
	c.checkAmount(row, "saved", *row.Saved, addAmounts(*row.Baseline, -*row.Cost))
}

// checkAttempts compares each attempt of a row with the call of the provider.
func (c *comparison) checkAttempts(r *Request, row *Row) {
	calls := c.calls[r.Mark]
	// A cancelled call may never have reached the provider.
	if n := len(row.Attempts); n < len(calls) || n > len(calls) && row.Outcome != clientClosed {
		c.report.addDifference(Money, row.ID, "%d attempts, but the providers received %d calls", n, len(calls))
		return
	}
	for i, call := range calls {
		seen := 0 // the client's events belong to the last call
		if i == len(calls)-1 {
			seen = countArrivedReports(r, &call)
		}
		c.checkAttempt(row, &row.Attempts[i], &call, seen)
	}
	if n := len(calls); row.Outcome == ok && n > 0 && len(calls[n-1].Reported) > 0 {
		if used := calls[n-1].Reported[len(calls[n-1].Reported)-1]; row.Tokens != used {
			c.report.addDifference(Money, row.ID, "tokens %+v, but the provider reported %+v", row.Tokens, used)
		}
	}
}

func (c *comparison) checkAttempt(row *Row, a *Attempt, call *Call, seen int) {
	if a.Provider != call.Provider || a.Model != call.Model {
		c.report.addDifference(Money, row.ID, "attempt at %s/%s, but the call was to %s/%s", a.Provider, a.Model, call.Provider, call.Model)
		return
	}
	if a.Cost == nil {
		c.report.addDifference(Money, row.ID, "attempt at %s/%s has no cost", a.Provider, a.Model)
		return
	}
	if may := c.possibleCosts(a, call, seen); !slices.Contains(may, *a.Cost) {
		c.report.addDifference(Money, row.ID, "attempt at %s/%s cost %d, want one of %v", a.Provider, a.Model, *a.Cost, may)
	}
}

// possibleCosts returns the costs that an attempt may have. A finished call has the
// cost of the last reported usage. An interrupted call may have the cost of any usage
// that was reported since the last event that the client saw. It may also have the cost
// of the ledger's estimate, unless the usage in that event costs more.
func (c *comparison) possibleCosts(a *Attempt, call *Call, seen int) []int64 {
	price := c.Prices[call.Model]
	var may []int64
	for _, u := range call.Reported {
		may = append(may, Cost(price, u))
	}
	switch n := len(may); {
	case call.Finished && n > 0:
		return may[n-1:]
	case call.Finished:
		return []int64{0} // the provider rejected the call
	}
	least := int64(0)
	if seen > 0 {
		least, may = may[seen-1], may[seen-1:]
	}
	if a.Tokens != nil && Cost(price, *a.Tokens) >= least {
		may = append(may, Cost(price, *a.Tokens))
	}
	return may
}

// countArrivedReports returns how many usage reports of a call certainly reached the
// gateway before the interruption: those in events that the client saw. One event of
// the client, the role, may come from the gateway itself.
func countArrivedReports(r *Request, call *Call) int {
	if r.Status == 0 {
		return 0
	}
	n := 0
	for n < len(call.Reported) && (n >= len(call.Events) || call.Events[n] < r.Events) {
		n++
	}
	return n
}

// expectedBaseline returns the cost of the same tokens at the baseline model's price.
// It returns 0 if nothing was produced or the gateway or a provider failed.
func (c *comparison) expectedBaseline(r *Request, row *Row) int64 {
	if row.Model == "" || slices.Contains([]string{aborted, interrupted, failed}, row.Outcome) {
		return 0
	}
	model := c.Baselines[r.Model]
	if row.BaselineModel != model {
		c.report.addDifference(Money, row.ID, "baseline %q, want %q", row.BaselineModel, model)
	}
	return Cost(c.Prices[model], row.Tokens)
}

func (c *comparison) checkAmount(row *Row, what string, got, want int64) {
	if got != want {
		c.report.addDifference(Money, row.ID, "%s %d, want %d", what, got, want)
	}
}

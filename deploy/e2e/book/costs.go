package book

import "slices"

// money works a row's amounts out from what the providers reported.
func (c *comparison) money(r *Request, row *Row) {
	if row.Cost == nil || row.Baseline == nil || row.Kept == nil {
		c.report.add(Money, row.ID, "an amount is missing, and every model has a price")
		return
	}
	if row.Outcome != aborted {
		c.attempts(r, row)
	}
	want := int64(0)
	for _, a := range row.Attempts {
		if a.Cost != nil {
			want = add(want, *a.Cost)
		}
	}
	if len(row.Attempts) == 1 && row.Outcome == aborted {
		want = Cost(c.Prices[row.Attempts[0].Model], row.Tokens)
	}
	c.amount(row, "cost", *row.Cost, want)
	if r.Told != nil {
		c.amount(row, "what the client was told", *r.Told, *row.Cost)
	}
	c.amount(row, "baseline", *row.Baseline, c.baseline(r, row))
	c.amount(row, "kept", *row.Kept, add(*row.Baseline, -*row.Cost))
}

// attempts holds each attempt of a row against the call that it was.
func (c *comparison) attempts(r *Request, row *Row) {
	calls := c.calls[r.Mark]
	// A call that was cut off may never have arrived.
	if n := len(row.Attempts); n < len(calls) || n > len(calls) && row.Outcome != clientClosed {
		c.report.add(Money, row.ID, "%d attempts, the providers saw %d calls", n, len(calls))
		return
	}
	for i, call := range calls {
		seen := 0 // what the client has seen is of the last one
		if i == len(calls)-1 {
			seen = arrived(r, &call)
		}
		c.attempt(row, &row.Attempts[i], &call, seen)
	}
	if n := len(calls); row.Outcome == ok && n > 0 && len(calls[n-1].Reported) > 0 {
		if used := calls[n-1].Reported[len(calls[n-1].Reported)-1]; row.Tokens != used {
			c.report.add(Money, row.ID, "tokens %+v, the provider reported %+v", row.Tokens, used)
		}
	}
}

func (c *comparison) attempt(row *Row, a *Attempt, call *Call, seen int) {
	if a.Provider != call.Provider || a.Model != call.Model {
		c.report.add(Money, row.ID, "an attempt at %s/%s, the call was to %s/%s", a.Provider, a.Model, call.Provider, call.Model)
		return
	}
	if a.Cost == nil {
		c.report.add(Money, row.ID, "an attempt at %s/%s has no cost", a.Provider, a.Model)
		return
	}
	if may := c.costs(a, call, seen); !slices.Contains(may, *a.Cost) {
		c.report.add(Money, row.ID, "an attempt at %s/%s cost %d, want one of %v", a.Provider, a.Model, *a.Cost, may)
	}
}

// costs are what an attempt may have cost: what the provider reported last, or
// of one that was cut off anything it reported from what was seen to arrive on,
// or an estimate, of the tokens that the ledger names, which is not below that.
func (c *comparison) costs(a *Attempt, call *Call, seen int) []int64 {
	price := c.Prices[call.Model]
	var may []int64
	for _, u := range call.Reported {
		may = append(may, Cost(price, u))
	}
	switch n := len(may); {
	case call.Finished && n > 0:
		return may[n-1:]
	case call.Finished:
		return []int64{0} // it refused
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

// arrived is how many of a call's reports are known to have been read before it
// was cut off: those with what the client has seen itself, of which one event,
// that tells who speaks, may be the gateway's own.
func arrived(r *Request, call *Call) int {
	if r.Status == 0 {
		return 0
	}
	n := 0
	for n < len(call.Reported) && (n >= len(call.Events) || call.Events[n] < r.Events) {
		n++
	}
	return n
}

// baseline is the same tokens at the price of the model that the caller would
// have used; nothing that was produced costs nothing.
func (c *comparison) baseline(r *Request, row *Row) int64 {
	if row.Model == "" || row.Outcome == aborted {
		return 0
	}
	model := c.Baselines[r.Model]
	if row.BaselineModel != model {
		c.report.add(Money, row.ID, "baseline %q, want %q", row.BaselineModel, model)
	}
	return Cost(c.Prices[model], row.Tokens)
}

func (c *comparison) amount(row *Row, what string, got, want int64) {
	if got != want {
		c.report.add(Money, row.ID, "%s %d, want %d", what, got, want)
	}
}

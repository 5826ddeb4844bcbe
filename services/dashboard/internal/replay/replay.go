// Package replay sums up what another policy would have done with recorded
// requests: how many would have been routed differently, and the effect on
// cost, quality and latency, by route, model and key. A Report collects Rows.
// The package makes no decisions, because the router makes them, and it does
// not read the store. The dashboard's replay API fills the report.
package replay

import (
	"cmp"
	"slices"

	"github.com/signalbox/signalbox/pkg/saturate"
)

// Candidate is a model at a provider. The zero value means that the request was
// rejected.
type Candidate struct{ Model, Provider string }

// Decision is the recorded decision for a request, or the decision that the
// other policy would have made.
type Decision struct {
	Candidate Candidate
	// Cost is the price of the used tokens at the candidate, in nano-USD; nil if
	// unknown.
	Cost *int64
	// Quality (thousandths) and Latency (microseconds to the first token) are
	// expected values; 0 if unknown.
	Quality, Latency int64
	// Code is the error code of a rejected request. Reason explains the decision.
	Code, Reason string
}

// Row holds one request with the decisions of both policies.
type Row struct {
	ID            string
	Route, Key    string
	KeyName       string
	Before, After Decision
}

// isRerouted reports whether the policies choose different candidates.
func (r *Row) isRerouted() bool { return r.Before.Candidate != r.After.Candidate }

// Sums are totals over requests.
type Sums struct {
	// Flips counts the requests that would be routed to another candidate.
	Requests, Flips int64
	// Refused counts requests that only the recorded decision serves. Served
	// counts requests that only the other policy would serve.
	Refused, Served int64
	// Before and After are costs in nano-USD. They cover the requests for which
	// both costs are known. Unpriced counts the other requests.
	Before, After int64
	Unpriced      int64
	// Quality and Latency cover the requests for which both sides are known.
	Quality, Latency Change
}

// Change is the summed difference of an expected value over Requests.
type Change struct{ Requests, Sum int64 }

// Mean returns the change per request, rounded towards zero; 0 without requests.
func (c Change) Mean() int64 {
	if c.Requests == 0 {
		return 0
	}
	return c.Sum / c.Requests
}

// Difference returns the extra cost of the other policy in nano-USD, negative if
// it is cheaper.
func (s *Sums) Difference() int64 { return saturate.Add(s.After, -s.Before) }

func (s *Sums) addRow(r *Row) {
	s.Requests++
	before, after := &r.Before, &r.After
	if r.isRerouted() {
		s.Flips++
	}
	switch none := (Candidate{}); {
	case before.Candidate == after.Candidate && before.Candidate == none:
		return // rejected by both policies, so neither costs anything
	case after.Candidate == none:
		s.Refused++
		return
	case before.Candidate == none:
		s.Served++
		return
	}
	if before.Cost == nil || after.Cost == nil {
		s.Unpriced++
	} else {
		s.Before, s.After = saturate.Add(s.Before, *before.Cost), saturate.Add(s.After, *after.Cost)
	}
	s.Quality.addDifference(before.Quality, after.Quality)
	s.Latency.addDifference(before.Latency, after.Latency)
}

func (c *Change) addDifference(before, after int64) {
	if before != 0 && after != 0 {
		c.Requests++
		c.Sum = saturate.Add(c.Sum, after-before)
	}
}

// extraCost returns the cost increase of a row; false if it is unknown.
func (r *Row) extraCost() (int64, bool) {
	if r.Before.Cost == nil || r.After.Cost == nil {
		return 0, false
	}
	return saturate.Add(*r.After.Cost, -*r.Before.Cost), true
}

// compareByExtraCost orders rows by cost increase, largest first, then by id.
func compareByExtraCost(a, b Row) int {
	x, _ := a.extraCost()
	y, _ := b.extraCost()
	return cmp.Or(cmp.Compare(y, x), cmp.Compare(a.ID, b.ID))
}

// insertCostlier inserts a row with a cost increase into the sorted list of the
// largest increases, which holds at most limit rows.
func insertCostlier(all []Row, r Row, limit int) []Row {
	if n, ok := r.extraCost(); !ok || n <= 0 {
		return all
	}
	at, _ := slices.BinarySearchFunc(all, r, compareByExtraCost)
	if at == limit {
		return all
	}
	all = slices.Insert(all, at, r)
	return all[:min(len(all), limit)]
}

// Package replay sums up what another policy would have done with recorded
// requests. It counts the requests that would have been routed differently, and
// the effect on cost, quality and latency. The sums are also split by route,
// model and key. The router makes the decisions. The dashboard's replay API reads
// the requests and adds one Row per request to a Report.
package replay

import (
	"cmp"
	"slices"

	"github.com/signalbox/signalbox/pkg/saturate"
)

// Candidate is a model at a provider, with its reasoning effort if it has one. The zero value
// means that the request was rejected.
type Candidate struct{ Model, Provider, Effort string }

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
	ID string
	// Route is the model or route that the client requested.
	Route         string
	Key, KeyName  string
	Before, After Decision
}

func (r *Row) isRerouted() bool { return r.Before.Candidate != r.After.Candidate }

// Sums are totals over requests.
type Sums struct {
	// Flips counts the requests for which the two policies choose different
	// candidates. It includes Refused and Served.
	Requests, Flips int64
	// Refused counts the requests that only the recorded decision serves.
	Refused int64
	// Served counts the requests that only the other policy would serve.
	Served int64
	// Before and After are costs in nano-USD. They cover the requests that both
	// policies serve at a known cost.
	Before, After int64
	// Unpriced counts the requests that both policies serve, if at least one of the
	// two costs is unknown.
	Unpriced int64
	// Quality and Latency cover the requests that both policies serve and for which
	// both values are known.
	Quality, Latency Change
}

// Change is the sum of the differences in an expected value. A difference is the
// other policy's value minus the recorded value. Requests counts the differences.
type Change struct{ Requests, Sum int64 }

// Mean returns the change per request, rounded towards zero; 0 without requests.
func (c Change) Mean() int64 {
	if c.Requests == 0 {
		return 0
	}
	return c.Sum / c.Requests
}

// Difference returns the extra cost of the other policy in nano-USD. It is
// negative if the other policy is cheaper.
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

// extraCost returns by how much the other policy costs more than the recorded
// decision. ok is false if a cost is unknown.
func (r *Row) extraCost() (nanoUSD int64, ok bool) {
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

// insertCostlier inserts r into rows if the other policy costs more for r. rows is
// sorted by increase, largest first. The result has at most limit rows.
func insertCostlier(rows []Row, r Row, limit int) []Row {
	if n, ok := r.extraCost(); !ok || n <= 0 {
		return rows
	}
	at, _ := slices.BinarySearchFunc(rows, r, compareByExtraCost)
	if at == limit {
		return rows
	}
	rows = slices.Insert(rows, at, r)
	return rows[:min(len(rows), limit)]
}

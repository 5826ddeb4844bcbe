// Package replay adds up what another policy would have made of recorded
// requests: how many would have gone elsewhere, and what that means in money,
// quality and time, by route, model and key. It decides nothing, which is the
// router's, and knows no store and no wire; the dashboard's API fills it.
package replay

import (
	"cmp"
	"math"
	"slices"
)

// Target is a model at a provider; the zero one is a refusal.
type Target struct{ Model, Provider string }

// Side is what was, or would have been, decided of a request.
type Side struct {
	Target Target
	// Cost is what was used at the target's price, in nano-USD; nil when it is
	// not known.
	Cost *int64
	// Quality, in thousandths, and Latency, in microseconds to the first token,
	// are as expected; 0 when unknown.
	Quality, Latency int64
	// Code is that of the refusal, and Reason why it was decided so.
	Code, Reason string
}

// Row is one request under both policies.
type Row struct {
	ID            string
	Route, Key    string
	KeyName       string
	Before, After Side
}

// flips tells whether the request would have gone elsewhere.
func (r *Row) flips() bool { return r.Before.Target != r.After.Target }

// Sums are how requests add up.
type Sums struct {
	Requests, Flips int64
	// Refused are those that would no longer be served, and Served those that
	// would be now.
	Refused, Served int64
	// Before and After are costs in nano-USD, of the requests of which both are
	// known; of Unpriced ones they are not.
	Before, After int64
	Unpriced      int64
	// Quality and Latency are of the requests of which both sides are known.
	Quality, Latency Change
}

// Change is how an expectation would have changed, in all of Requests together.
type Change struct{ Requests, Sum int64 }

// Mean is for one request, rounded towards zero; 0 when there is none.
func (c Change) Mean() int64 {
	if c.Requests == 0 {
		return 0
	}
	return c.Sum / c.Requests
}

// Difference is what the other policy would have cost more, in nano-USD; less
// is negative.
func (s *Sums) Difference() int64 { return add(s.After, -s.Before) }

func (s *Sums) add(r *Row) {
	s.Requests++
	before, after := &r.Before, &r.After
	if r.flips() {
		s.Flips++
	}
	switch none := (Target{}); {
	case before.Target == after.Target && before.Target == none:
		return // refused by both, which costs nothing
	case after.Target == none:
		s.Refused++
		return
	case before.Target == none:
		s.Served++
		return
	}
	if before.Cost == nil || after.Cost == nil {
		s.Unpriced++
	} else {
		s.Before, s.After = add(s.Before, *before.Cost), add(s.After, *after.Cost)
	}
	s.Quality.add(before.Quality, after.Quality)
	s.Latency.add(before.Latency, after.Latency)
}

func (c *Change) add(before, after int64) {
	if before != 0 && after != 0 {
		c.Requests++
		c.Sum = add(c.Sum, after-before)
	}
}

// add saturates: a sum that does not fit is huge, not negative.
func add(a, b int64) int64 {
	switch {
	case b > 0 && a > math.MaxInt64-b:
		return math.MaxInt64
	case b < 0 && a < math.MinInt64-b:
		return math.MinInt64
	}
	return a + b
}

// extra is what a row would have cost more; false when that is not known.
func (r *Row) extra() (int64, bool) {
	if r.Before.Cost == nil || r.After.Cost == nil {
		return 0, false
	}
	return add(*r.After.Cost, -*r.Before.Cost), true
}

// dearer puts rows that cost more first, and equal ones in the order of ids.
func dearer(a, b Row) int {
	x, _ := a.extra()
	y, _ := b.extra()
	return cmp.Or(cmp.Compare(y, x), cmp.Compare(a.ID, b.ID))
}

// lose keeps a row among the biggest losers, of which there are at most most.
func lose(all []Row, r Row, most int) []Row {
	if n, ok := r.extra(); !ok || n <= 0 {
		return all
	}
	at, _ := slices.BinarySearchFunc(all, r, dearer)
	if at == most {
		return all
	}
	all = slices.Insert(all, at, r)
	return all[:min(len(all), most)]
}

package e2e

import (
	"math/rand/v2"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/deploy/e2e/load"
	"github.com/signalbox/signalbox/deploy/e2e/reconcile"
)

// episode is a period under load in which a fault happens.
type episode struct {
	*rig
	rng   *rand.Rand
	load  *load.Load
	began time.Time
	books reconcile.Books
}

// figures are the results of one or several episodes.
type figures struct {
	requests, cut int
	report        reconcile.Report
	settled       time.Duration
}

// runUnderLoad puts load on the system while a fault happens, and reconciles clients,
// provider and ledger afterwards.
func (r *rig) runUnderLoad(happens func(e *episode)) figures {
	r.t.Helper()
	e := r.begin()
	e.awaitSuccesses(*rate / 4)
	happens(e)
	e.awaitSuccesses(*rate / 4)
	e.books.Requests = append(e.books.Requests, e.load.Stop()...)
	return e.finish()
}

func (r *rig) begin() *episode {
	r.runs++
	e := &episode{rig: r, began: time.Now(), rng: rand.New(rand.NewPCG(r.seed, r.runs))}
	e.books = reconcile.Books{Prices: r.provider.Prices, Baselines: load.Baselines()}
	e.load = load.Start(load.Target{Base: func() string { return *r.base.Load() }, Keys: r.keys, Prompt: r.prompt}, r.seed, r.runs, r.rate)
	return e
}

// awaitSuccesses waits for n more successful requests.
func (e *episode) awaitSuccesses(n int) {
	e.t.Helper()
	want := e.load.SuccessCount() + n
	require.Eventually(e.t, func() bool { return e.load.SuccessCount() >= want }, waitTimeout, pollInterval, "no requests succeed")
}

// waitRandom waits for a random time of up to a second.
func (e *episode) waitRandom() { <-time.After(time.Duration(e.rng.Int64N(int64(time.Second)))) }

// finish waits until the books match. If they never do, it fails with the
// differences.
func (e *episode) finish() figures {
	e.t.Helper()
	began := time.Now()
	e.books.Calls = e.provider.Calls()
	var report reconcile.Report
	var after reconcile.Sums
	exact := func() bool {
		var err error
		if after, err = e.readLedger(); err != nil {
			e.t.Logf("read the ledger: %v", err)
			return false
		}
		report = reconcile.Compare(&e.books)
		return report.IsExact()
	}
	for limit := began.Add(waitTimeout + *outage); !exact() && time.Now().Before(limit); {
		<-time.After(10 * pollInterval)
	}
	if !report.IsExact() {
		e.t.Errorf("seed %d: the ledger does not match: %s", e.seed, report.String())
	}
	e.sums = after
	e.provider.Reset()
	return figures{requests: report.Requests, cut: e.countCut(), report: report, settled: time.Since(began)}
}

// countCut counts the requests that were lost with a killed process.
func (e *episode) countCut() int {
	n := 0
	for _, r := range e.books.Requests {
		if !r.Left && !r.Complete {
			n++
		}
	}
	return n
}

// readLedger reads the rows of this episode and returns the sums of all episodes so
// far.
func (e *episode) readLedger() (after reconcile.Sums, err error) {
	known := map[string]bool{}
	for _, r := range e.books.Requests {
		known[r.ID] = true
	}
	e.books.Rows = nil
	for _, a := range e.accounts {
		rows, err := a.rows(e.began, known)
		if err != nil {
			return after, err
		}
		e.books.Rows = append(e.books.Rows, rows...)
		sums, err := a.sums(e.hour)
		if err != nil {
			return after, err
		}
		after = addSums(after, sums, 1)
	}
	meter, err := e.operator.completeness()
	after = addSums(after, meter, 1)
	mine := addSums(after, e.sums, -1)
	e.books.Sums = &mine
	return after, err
}

func addSums(a, b reconcile.Sums, sign int64) reconcile.Sums {
	a.Requests += sign * b.Requests
	a.Unpriced += sign * b.Unpriced
	a.Routed += sign * b.Routed
	a.Baseline += sign * b.Baseline
	a.Saved += sign * b.Saved
	a.Received += sign * b.Received
	a.DeadLetters += sign * b.DeadLetters
	a.Incomplete += sign * b.Incomplete
	return a
}

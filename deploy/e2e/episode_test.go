package e2e

import (
	"math/rand/v2"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/deploy/e2e/book"
	"github.com/signalbox/signalbox/deploy/e2e/load"
)

// episode is a time under load in which something happens.
type episode struct {
	*rig
	rng   *rand.Rand
	load  *load.Load
	began time.Time
	books book.Books
}

// figures are what became of one episode, or of several.
type figures struct {
	requests, cut int
	report        book.Report
	settled       time.Duration
}

// under puts load on the system while something happens to it, and compares the
// books when all has come to rest.
func (r *rig) under(happens func(e *episode)) figures {
	r.t.Helper()
	e := r.begin()
	e.after(*rate / 4)
	happens(e)
	e.after(*rate / 4)
	e.books.Requests = append(e.books.Requests, e.load.Stop()...)
	return e.finish()
}

func (r *rig) begin() *episode {
	r.runs++
	e := &episode{rig: r, began: time.Now(), rng: rand.New(rand.NewPCG(r.seed, r.runs))}
	e.books = book.Books{Prices: r.provider.Prices, Baselines: load.Baselines()}
	e.load = load.Start(load.Target{Base: func() string { return *r.base.Load() }, Keys: r.keys, Prompt: r.prompt}, r.seed, r.runs, *rate)
	return e
}

// after waits until so many further requests have been answered.
func (e *episode) after(n int) {
	e.t.Helper()
	want := e.load.Good() + n
	require.Eventually(e.t, func() bool { return e.load.Good() >= want }, patience, pollEvery, "the service stands still")
}

// moment waits for a random instant.
func (e *episode) moment() { <-time.After(time.Duration(e.rng.Int64N(int64(time.Second)))) }

// finish waits until the books agree; if they never do, it tells how they
// differ.
func (e *episode) finish() figures {
	e.t.Helper()
	began := time.Now()
	e.books.Calls = e.provider.Calls()
	var report book.Report
	var after book.Sums
	exact := func() bool {
		var err error
		if after, err = e.read(); err != nil {
			e.t.Logf("the ledger cannot be read: %v", err)
			return false
		}
		report = book.Compare(&e.books)
		return report.Exact()
	}
	for limit := began.Add(patience + *outage); !exact() && time.Now().Before(limit); {
		<-time.After(20 * pollEvery)
	}
	if !report.Exact() {
		e.t.Errorf("seed %d: the books differ: %s", e.seed, report.String())
	}
	e.sums = after
	e.provider.Forget()
	return figures{requests: report.Requests, cut: e.cut(), report: report, settled: time.Since(began)}
}

// cut is how many requests were lost together with the process that had them.
func (e *episode) cut() int {
	n := 0
	for _, r := range e.books.Requests {
		if !r.Left && !r.Whole {
			n++
		}
	}
	return n
}

// read brings the ledger's book up to date, and returns the sums of all
// episodes so far.
func (e *episode) read() (after book.Sums, err error) {
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
		after = plus(after, sums, 1)
	}
	meter, err := e.operator.meter()
	after = plus(after, meter, 1)
	mine := plus(after, e.sums, -1)
	e.books.Sums = &mine
	return after, err
}

func plus(a, b book.Sums, sign int64) book.Sums {
	a.Requests += sign * b.Requests
	a.Unpriced += sign * b.Unpriced
	a.Routed += sign * b.Routed
	a.Baseline += sign * b.Baseline
	a.Kept += sign * b.Kept
	a.Received += sign * b.Received
	a.DeadLetters += sign * b.DeadLetters
	a.Incomplete += sign * b.Incomplete
	return a
}

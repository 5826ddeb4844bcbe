package reconcile_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/deploy/e2e/reconcile"
)

var (
	noon  = time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)
	used  = reconcile.Usage{Input: 100, CacheRead: 20, CacheWrite: 3, Output: 7, Reasoning: 2}
	small = reconcile.Price{Input: 1001, CacheRead: 100, CacheWrite: 1203, Output: 4007}
	large = reconcile.Price{Input: 10_007, CacheRead: 1000, CacheWrite: 12_003, Output: 40_009}
)

// The sums, computed by hand: 133,758 pico-USD and 1,336,772 pico-USD, rounded. A
// failed call that reported 50 input tokens costs 50,050.
const (
	routed, baseline, wasted = 134, 1337, 50
)

func ptr(n int64) *int64 { return &n }

// matchingBooks returns a run without differences: a plain response, a fallback
// after a call that reported usage, a rejected request, a client that left, a
// request whose proxy was killed, and one that never reached a proxy.
func matchingBooks() *reconcile.Books {
	at := func(second int) (time.Time, time.Time) {
		return noon.Add(time.Duration(second) * time.Second), noon.Add(time.Duration(second)*time.Second + time.Millisecond)
	}
	b := &reconcile.Books{
		Prices:    map[string]reconcile.Price{"small": small, "large": large},
		Baselines: map[string]string{"auto": "large", "small": "small"},
		Outages:   []reconcile.Outage{{From: noon.Add(10 * time.Second), To: noon.Add(11 * time.Second)}},
	}
	request := func(second int, r reconcile.Request) {
		r.Began, r.Ended = at(second)
		if r.Want == 0 {
			r.Want = 200
		}
		b.Requests = append(b.Requests, r)
	}
	request(1, reconcile.Request{Mark: "plain", ID: "1", Model: "auto", Status: 200, Complete: true, ReportedCost: ptr(routed)})
	request(2, reconcile.Request{Mark: "fallback", ID: "2", Model: "auto", Status: 200, Complete: true, Stream: true})
	request(3, reconcile.Request{Mark: "refused", ID: "3", Model: "nothing", Want: 404, Status: 404, Complete: true})
	request(4, reconcile.Request{Mark: "left", ID: "4", Model: "small", Status: 200, Left: true})
	request(10, reconcile.Request{Mark: "killed", Model: "auto", Err: "EOF"})
	request(10, reconcile.Request{Mark: "nobody", Model: "auto", Err: "connection refused"})
	call := func(mark, model string, status int, finished bool, reported ...reconcile.Usage) {
		b.Calls = append(b.Calls, reconcile.Call{Mark: mark, Provider: "p", Model: model, Status: status, Finished: finished, Reported: reported})
	}
	call("plain", "small", 200, true, used)
	call("fallback", "small", 200, true, reconcile.Usage{Input: 50})
	call("fallback", "small", 503, true)
	call("fallback", "small", 200, true, used)
	call("left", "small", 200, false, reconcile.Usage{Input: 1}, reconcile.Usage{Input: 1, Output: 1})
	call("killed", "small", 200, false)
	attempt := func(cost int64, tokens *reconcile.Usage) reconcile.Attempt {
		return reconcile.Attempt{Provider: "p", Model: "small", Cost: &cost, Tokens: tokens}
	}
	row := func(r reconcile.Row, attempts ...reconcile.Attempt) {
		r.Attempts, r.Saved = attempts, ptr(*r.Baseline-*r.Cost)
		b.Rows = append(b.Rows, r)
	}
	row(reconcile.Row{ID: "1", Model: "small", Outcome: "ok", Status: 200, Tokens: used, Cost: ptr(routed), Baseline: ptr(baseline), BaselineModel: "large"},
		attempt(routed, nil))
	row(reconcile.Row{ID: "2", Model: "small", Outcome: "ok", Status: 200, Tokens: used, Cost: ptr(wasted + routed), Baseline: ptr(baseline), BaselineModel: "large"},
		attempt(wasted, nil), attempt(0, nil), attempt(routed, nil))
	row(reconcile.Row{ID: "3", Outcome: "rejected", Status: 404, Cost: ptr(0), Baseline: ptr(0)})
	estimate := reconcile.Usage{Input: 2, Output: 1}
	row(reconcile.Row{ID: "4", Model: "small", Outcome: "client_closed", Status: 200, Tokens: estimate, Estimated: true, Cost: ptr(6), Baseline: ptr(6), BaselineModel: "small"},
		attempt(6, &estimate))
	row(reconcile.Row{ID: "5", Mark: "killed", Outcome: "aborted", Tokens: reconcile.Usage{Input: 9}, Estimated: true, Cost: ptr(9), Baseline: ptr(0)},
		attempt(9, &reconcile.Usage{Input: 9}))
	b.Sums = &reconcile.Sums{Requests: 5, Received: 5, Routed: 2*routed + wasted + 6 + 9, Baseline: 2*baseline + 6, Saved: 2*baseline - 2*routed - wasted - 9}
	return b
}

func TestMatchingBooksHaveNoDifference(t *testing.T) {
	r := reconcile.Compare(matchingBooks())
	require.True(t, r.IsExact(), r.String())
	require.Equal(t, reconcile.Report{Requests: 6, Calls: 6, Rows: 5}, r)
}

// A balancer answers for a proxy that was killed. The proxy's record says what became of the
// request.
func TestABalancerMayAnswerForAKilledProxy(t *testing.T) {
	b := matchingBooks()
	b.Outages[0].Balanced = true
	b.Requests[4].ID, b.Requests[4].Status, b.Requests[4].Complete, b.Requests[4].Err = "of the balancer", 503, true, ""
	r := reconcile.Compare(b)
	require.True(t, r.IsExact(), r.String())
}

func TestEveryKindOfDifferenceIsFound(t *testing.T) {
	for _, tt := range []struct {
		name  string
		spoil func(b *reconcile.Books)
		kind  reconcile.Kind
		text  string
	}{
		{"a row is missing", func(b *reconcile.Books) { b.Rows = b.Rows[1:] }, reconcile.Lost, "plain: status 200 was sent"},
		{"a row of a refusal is gone", func(b *reconcile.Books) { b.Rows = slices.Delete(b.Rows, 2, 3) }, reconcile.Lost, "refused"},
		{"a row that only a provider knows is missing", func(b *reconcile.Books) { b.Rows = b.Rows[:4] }, reconcile.Lost, "received 1 calls"},
		{"a duplicate row", func(b *reconcile.Books) { b.Rows = append(b.Rows, b.Rows[0]) }, reconcile.Doubled, "2 rows"},
		{"a retry under another id", func(b *reconcile.Books) { b.Rows = append(b.Rows, b.Rows[4]); b.Rows[5].ID = "6" }, reconcile.Doubled, "2 rows"},
		{"one by its id and one by its mark", func(b *reconcile.Books) {
			b.Rows = append(b.Rows, b.Rows[0])
			b.Rows[5].ID, b.Rows[5].Mark = "7", "plain"
		}, reconcile.Doubled, "2 rows"},
		{"a row without a request", func(b *reconcile.Books) { b.Rows = append(b.Rows, b.Rows[0]); b.Rows[5].ID = "8" }, reconcile.Phantom, "without a request"},
		{"a call without a request", func(b *reconcile.Books) { b.Calls = append(b.Calls, reconcile.Call{Mark: "other"}) }, reconcile.Phantom, "call without a request"},
		{"an error", func(b *reconcile.Books) { b.Requests[0].Status = 503 }, reconcile.Failed, "status 503, want 200"},
		{"a stream without its end", func(b *reconcile.Books) { b.Requests[1].Complete = false }, reconcile.Failed, "complete false"},
		{"a lost connection without an outage", func(b *reconcile.Books) { b.Outages = nil }, reconcile.Failed, "EOF"},
		{"an error while a proxy is down", func(b *reconcile.Books) { b.Requests[5].Status, b.Requests[5].Complete = 500, true }, reconcile.Failed, "status 500"},
		{"a rejection while a proxy is killed", func(b *reconcile.Books) { b.Requests[5].Status, b.Requests[5].Complete = 503, true }, reconcile.Failed, "status 503"},
		{"a rejection after a call, without a row", func(b *reconcile.Books) {
			b.Outages[0].Drains, b.Rows = true, b.Rows[:4]
			b.Requests[4].ID, b.Requests[4].Status, b.Requests[4].Complete = "5", 503, true
		}, reconcile.Lost, "status 503 was sent"},
		{"a rejection by a balancer after a call, without a row", func(b *reconcile.Books) {
			b.Outages[0].Balanced, b.Rows = true, b.Rows[:4]
			b.Requests[4].ID, b.Requests[4].Status, b.Requests[4].Complete = "of the balancer", 503, true
		}, reconcile.Lost, "status 503 was sent"},
		{"savings of an interrupted stream", func(b *reconcile.Books) {
			b.Outages[0].Drains = true
			b.Rows[4].Outcome, b.Rows[4].Model, b.Rows[4].BaselineModel, b.Rows[4].Baseline = "interrupted", "small", "large", ptr(90)
		}, reconcile.Money, "baseline 90, want 0"},
		{"ok is called aborted", func(b *reconcile.Books) { b.Rows[0].Outcome = "aborted" }, reconcile.Outcome, "want one of [ok]"},
		{"a refusal is called ok", func(b *reconcile.Books) { b.Rows[2].Outcome = "ok" }, reconcile.Outcome, "want one of [rejected]"},
		{"a client that left is called ok", func(b *reconcile.Books) { b.Rows[3].Outcome = "ok" }, reconcile.Outcome, "want one of [client_closed]"},
		{"aborted is called an error", func(b *reconcile.Books) { b.Rows[4].Outcome = "error" }, reconcile.Outcome, "want one of [aborted ok]"},
		{"another status", func(b *reconcile.Books) { b.Rows[0].Status = 500 }, reconcile.Outcome, "the client saw 200"},
		{"a wrong cost", func(b *reconcile.Books) { *b.Rows[0].Cost++ }, reconcile.Money, "cost 135, want 134"},
		{"a wrong cost header", func(b *reconcile.Books) { *b.Requests[0].ReportedCost++ }, reconcile.Money, "cost header of the response 135, want 134"},
		{"a wrong cost of an attempt", func(b *reconcile.Books) { *b.Rows[0].Attempts[0].Cost-- }, reconcile.Money, "want one of [134]"},
		{"the cost of a failed attempt is missing", func(b *reconcile.Books) {
			*b.Rows[1].Cost -= wasted
			*b.Rows[1].Attempts[0].Cost = 0
		}, reconcile.Money, "want one of [50]"},
		{"a rejected call that costs", func(b *reconcile.Books) { *b.Rows[1].Attempts[1].Cost = 1 }, reconcile.Money, "want one of [0]"},
		{"an attempt too few", func(b *reconcile.Books) { b.Rows[1].Attempts = b.Rows[1].Attempts[1:] }, reconcile.Money, "2 attempts, but the providers received 3"},
		{"an attempt too many", func(b *reconcile.Books) { b.Rows[0].Attempts = append(b.Rows[0].Attempts, b.Rows[0].Attempts...) }, reconcile.Money, "received 1 calls"},
		{"another model", func(b *reconcile.Books) { b.Rows[0].Attempts[0].Model = "large" }, reconcile.Money, "attempt at p/large"},
		{"an estimate beside its tokens", func(b *reconcile.Books) { b.Rows[3].Attempts[0].Tokens.Input = 9 }, reconcile.Money, "want one of [5 13]"},
		{"an estimate below what was reported", func(b *reconcile.Books) {
			row := &b.Rows[3]
			row.Tokens, row.Attempts[0].Tokens = reconcile.Usage{}, &reconcile.Usage{}
			row.Cost, row.Baseline, row.Saved, row.Attempts[0].Cost = ptr(0), ptr(0), ptr(0), ptr(0)
		}, reconcile.Money, "cost 0, want one of [5]"},
		{"an aborted one beside its tokens", func(b *reconcile.Books) { b.Rows[4].Tokens.Input = 90 }, reconcile.Money, "cost 9, want 90"},
		{"other tokens", func(b *reconcile.Books) { b.Rows[0].Tokens.Reasoning = 0 }, reconcile.Money, "the provider reported"},
		{"a wrong baseline", func(b *reconcile.Books) { *b.Rows[0].Baseline++ }, reconcile.Money, "baseline 1338, want 1337"},
		{"a baseline for nothing", func(b *reconcile.Books) { *b.Rows[2].Baseline = 5 }, reconcile.Money, "baseline 5, want 0"},
		{"another baseline", func(b *reconcile.Books) { b.Rows[0].BaselineModel = "small" }, reconcile.Money, `baseline "small", want "large"`},
		{"wrong savings", func(b *reconcile.Books) { *b.Rows[0].Saved++ }, reconcile.Money, "saved 1204, want 1203"},
		{"no cost", func(b *reconcile.Books) { b.Rows[0].Cost = nil }, reconcile.Money, "an amount is missing"},
		{"an aggregate counts a batch twice", func(b *reconcile.Books) { b.Sums.Routed += 134 }, reconcile.Total, "the ledger reports"},
		{"an aggregate misses a row", func(b *reconcile.Books) { b.Sums.Requests-- }, reconcile.Total, "the ledger reports"},
		{"the meter counts one too many", func(b *reconcile.Books) { b.Sums.Received++ }, reconcile.Total, "Received:6"},
		{"a row is missing after a stop", func(b *reconcile.Books) { b.Outages[0].Drains, b.Sums.Received = true, 4 }, reconcile.Total, "Received:4"},
		{"a dead letter", func(b *reconcile.Books) { b.Sums.DeadLetters = 1 }, reconcile.Total, "DeadLetters:1"},
		{"the meter misses one", func(b *reconcile.Books) { b.Sums.Incomplete = 1 }, reconcile.Total, "Incomplete:1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := matchingBooks()
			tt.spoil(b)
			r := reconcile.Compare(b)
			require.Positive(t, r.Count(tt.kind), r.String())
			require.Contains(t, r.String(), tt.text)
		})
	}
}

// Differences that an outage or a disconnect can explain are not reported.
func TestExplainableDifferencesAreAccepted(t *testing.T) {
	for name, change := range map[string]func(b *reconcile.Books){
		"the proxy died after the response": func(b *reconcile.Books) {
			b.Rows[4] = b.Rows[0]
			b.Rows[4].ID, b.Rows[4].Mark = "5", "killed"
			b.Calls[5].Finished, b.Calls[5].Reported = true, []reconcile.Usage{used}
		},
		"the client left after the provider had finished": func(b *reconcile.Books) {
			b.Calls[4].Finished = true
			b.Rows[3].Outcome, b.Rows[3].Tokens = "ok", reconcile.Usage{Input: 1, Output: 1}
			b.Rows[3].Cost, b.Rows[3].Baseline, b.Rows[3].Attempts[0].Cost = ptr(5), ptr(5), ptr(5)
		},
		"the client left before the last report arrived": func(b *reconcile.Books) {
			b.Requests[3].Events, b.Calls[4].Events = 3, []int{2, 3}
			row := &b.Rows[3]
			row.Tokens, row.Attempts[0].Tokens = reconcile.Usage{Input: 1}, &reconcile.Usage{Input: 1}
			row.Cost, row.Baseline, row.Saved, row.Attempts[0].Cost = ptr(1), ptr(1), ptr(0), ptr(1)
		},
		"a process that shuts down rejects a request": func(b *reconcile.Books) {
			b.Outages[0].Drains = true
			b.Requests[5].ID, b.Requests[5].Status, b.Requests[5].Complete = "6", 503, true
		},
		"a record arrives twice after a stop": func(b *reconcile.Books) {
			b.Outages[0].Drains, b.Sums.Received = true, b.Sums.Received+1
		},
		"a process that shuts down interrupts a stream": func(b *reconcile.Books) {
			b.Outages[0].Drains = true
			b.Requests[4].Status, b.Rows[4].Status = 200, 200
			b.Rows[4].Outcome, b.Rows[4].Model, b.Rows[4].BaselineModel = "interrupted", "small", "large"
		},
		"the client left before the call arrived":  func(b *reconcile.Books) { b.Calls = slices.Delete(b.Calls, 4, 5) },
		"a request that never arrived is recorded": func(b *reconcile.Books) { b.Calls = b.Calls[:5] },
	} {
		b := matchingBooks()
		sums := *b.Sums
		change(b)
		if *b.Sums == sums {
			b.Sums = nil // the totals are those of the books without the change
		}
		r := reconcile.Compare(b)
		require.True(t, r.IsExact(), "%s: %s", name, r.String())
	}
}

func TestReportPrintsTheFirstDifferences(t *testing.T) {
	b := matchingBooks()
	for range 30 {
		b.Calls = append(b.Calls, reconcile.Call{Mark: strings.Repeat("x", len(b.Calls))})
	}
	r := reconcile.Compare(b)
	require.Equal(t, 30, r.Count(reconcile.Phantom))
	require.Equal(t, 20, strings.Count(r.String(), "call without a request"))
	require.Contains(t, r.String(), "and 10 more")
}

func TestCost(t *testing.T) {
	require.EqualValues(t, routed, reconcile.Cost(small, used))
	require.EqualValues(t, baseline, reconcile.Cost(large, used))
	require.Zero(t, reconcile.Cost(reconcile.Price{Input: 499}, reconcile.Usage{Input: 1}))
	require.EqualValues(t, 1, reconcile.Cost(reconcile.Price{Input: 500}, reconcile.Usage{Input: 1}))
	require.EqualValues(t, 1<<63-1, reconcile.Cost(reconcile.Price{Output: 1 << 62}, reconcile.Usage{Output: 1 << 62}))
}

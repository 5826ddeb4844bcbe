package book_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/deploy/e2e/book"
)

var (
	noon  = time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)
	used  = book.Usage{Input: 100, CacheRead: 20, CacheWrite: 3, Output: 7, Reasoning: 2}
	small = book.Price{Input: 1001, CacheRead: 100, CacheWrite: 1203, Output: 4007}
	large = book.Price{Input: 10_007, CacheRead: 1000, CacheWrite: 12_003, Output: 40_009}
)

// The sums that a person works out: 133,758 pico and 1,336,772 pico, rounded;
// a failed call that reported 50 tokens of input cost 50,050.
const (
	routed, baseline, wasted = 134, 1337, 50
)

func ptr(n int64) *int64 { return &n }

// honest is a run without a difference: a plain answer, a fallback after a call
// that reported its usage, one that was refused, a client that left, a request
// that its proxy died with, and one that never arrived.
func honest() *book.Books {
	at := func(second int) (time.Time, time.Time) {
		return noon.Add(time.Duration(second) * time.Second), noon.Add(time.Duration(second)*time.Second + time.Millisecond)
	}
	b := &book.Books{
		Prices:    map[string]book.Price{"small": small, "large": large},
		Baselines: map[string]string{"auto": "large", "small": "small"},
		Down:      []book.Window{{From: noon.Add(10 * time.Second), To: noon.Add(11 * time.Second)}},
	}
	request := func(second int, r book.Request) {
		r.Began, r.Ended = at(second)
		if r.Want == 0 {
			r.Want = 200
		}
		b.Requests = append(b.Requests, r)
	}
	request(1, book.Request{Mark: "plain", ID: "1", Model: "auto", Status: 200, Whole: true, Told: ptr(routed)})
	request(2, book.Request{Mark: "fallback", ID: "2", Model: "auto", Status: 200, Whole: true, Stream: true})
	request(3, book.Request{Mark: "refused", ID: "3", Model: "nothing", Want: 404, Status: 404, Whole: true})
	request(4, book.Request{Mark: "left", ID: "4", Model: "small", Status: 200, Left: true})
	request(10, book.Request{Mark: "killed", Model: "auto", Err: "EOF"})
	request(10, book.Request{Mark: "nobody", Model: "auto", Err: "connection refused"})
	call := func(mark, model string, status int, finished bool, reported ...book.Usage) {
		b.Calls = append(b.Calls, book.Call{Mark: mark, Provider: "p", Model: model, Status: status, Finished: finished, Reported: reported})
	}
	call("plain", "small", 200, true, used)
	call("fallback", "small", 200, true, book.Usage{Input: 50})
	call("fallback", "small", 503, true)
	call("fallback", "small", 200, true, used)
	call("left", "small", 200, false, book.Usage{Input: 1}, book.Usage{Input: 1, Output: 1})
	call("killed", "small", 200, false)
	attempt := func(cost int64, tokens *book.Usage) book.Attempt {
		return book.Attempt{Provider: "p", Model: "small", Cost: &cost, Tokens: tokens}
	}
	row := func(r book.Row, attempts ...book.Attempt) {
		r.Attempts, r.Kept = attempts, ptr(*r.Baseline-*r.Cost)
		b.Rows = append(b.Rows, r)
	}
	row(book.Row{ID: "1", Model: "small", Outcome: "ok", Status: 200, Tokens: used, Cost: ptr(routed), Baseline: ptr(baseline), BaselineModel: "large"},
		attempt(routed, nil))
	row(book.Row{ID: "2", Model: "small", Outcome: "ok", Status: 200, Tokens: used, Cost: ptr(wasted + routed), Baseline: ptr(baseline), BaselineModel: "large"},
		attempt(wasted, nil), attempt(0, nil), attempt(routed, nil))
	row(book.Row{ID: "3", Outcome: "rejected", Status: 404, Cost: ptr(0), Baseline: ptr(0)})
	estimate := book.Usage{Input: 2, Output: 1}
	row(book.Row{ID: "4", Model: "small", Outcome: "client_closed", Status: 200, Tokens: estimate, Estimated: true, Cost: ptr(6), Baseline: ptr(6), BaselineModel: "small"},
		attempt(6, &estimate))
	row(book.Row{ID: "5", Mark: "killed", Outcome: "aborted", Tokens: book.Usage{Input: 9}, Estimated: true, Cost: ptr(9), Baseline: ptr(0)},
		attempt(9, &book.Usage{Input: 9}))
	b.Sums = &book.Sums{Requests: 5, Received: 5, Routed: 2*routed + wasted + 6 + 9, Baseline: 2*baseline + 6, Kept: 2*baseline - 2*routed - wasted - 9}
	return b
}

func TestHonestBooksAgree(t *testing.T) {
	r := book.Compare(honest())
	require.True(t, r.Exact(), r.String())
	require.Equal(t, book.Report{Requests: 6, Calls: 6, Rows: 5}, r)
}

func TestEveryKindOfDifferenceIsFound(t *testing.T) {
	for _, tt := range []struct {
		name  string
		spoil func(b *book.Books)
		kind  book.Kind
		text  string
	}{
		{"a row is gone", func(b *book.Books) { b.Rows = b.Rows[1:] }, book.Lost, "plain was answered with 200"},
		{"a row of a refusal is gone", func(b *book.Books) { b.Rows = slices.Delete(b.Rows, 2, 3) }, book.Lost, "refused"},
		{"a row that only a provider knows is gone", func(b *book.Books) { b.Rows = b.Rows[:4] }, book.Lost, "called 1 times"},
		{"a row is there twice", func(b *book.Books) { b.Rows = append(b.Rows, b.Rows[0]) }, book.Doubled, "2 rows"},
		{"a retry under another id", func(b *book.Books) { b.Rows = append(b.Rows, b.Rows[4]); b.Rows[5].ID = "6" }, book.Doubled, "2 rows"},
		{"one by its id and one by its mark", func(b *book.Books) {
			b.Rows = append(b.Rows, b.Rows[0])
			b.Rows[5].ID, b.Rows[5].Mark = "7", "plain"
		}, book.Doubled, "2 rows"},
		{"a row that nobody asked for", func(b *book.Books) { b.Rows = append(b.Rows, b.Rows[0]); b.Rows[5].ID = "8" }, book.Phantom, "of no request"},
		{"a call that nobody asked for", func(b *book.Books) { b.Calls = append(b.Calls, book.Call{Mark: "other"}) }, book.Phantom, "a call of no request"},
		{"an error", func(b *book.Books) { b.Requests[0].Status = 503 }, book.Failed, "status 503, want 200"},
		{"a stream without its end", func(b *book.Books) { b.Requests[1].Whole = false }, book.Failed, "whole false"},
		{"a lost connection while all is well", func(b *book.Books) { b.Down = nil }, book.Failed, "EOF"},
		{"an error while a proxy is down", func(b *book.Books) { b.Requests[5].Status, b.Requests[5].Whole = 500, true }, book.Failed, "status 500"},
		{"ok is called aborted", func(b *book.Books) { b.Rows[0].Outcome = "aborted" }, book.Outcome, "want one of [ok]"},
		{"a refusal is called ok", func(b *book.Books) { b.Rows[2].Outcome = "ok" }, book.Outcome, "want one of [rejected]"},
		{"who left is called ok", func(b *book.Books) { b.Rows[3].Outcome = "ok" }, book.Outcome, "want one of [client_closed]"},
		{"aborted is called an error", func(b *book.Books) { b.Rows[4].Outcome = "error" }, book.Outcome, "want one of [aborted ok]"},
		{"another status", func(b *book.Books) { b.Rows[0].Status = 500 }, book.Outcome, "the client saw 200"},
		{"a wrong cost", func(b *book.Books) { *b.Rows[0].Cost++ }, book.Money, "cost 135, want 134"},
		{"the client was told another", func(b *book.Books) { *b.Requests[0].Told++ }, book.Money, "told 135, want 134"},
		{"a wrong cost of an attempt", func(b *book.Books) { *b.Rows[0].Attempts[0].Cost-- }, book.Money, "want one of [134]"},
		{"what a failed attempt cost is left out", func(b *book.Books) {
			*b.Rows[1].Cost -= wasted
			*b.Rows[1].Attempts[0].Cost = 0
		}, book.Money, "want one of [50]"},
		{"a refusal that costs", func(b *book.Books) { *b.Rows[1].Attempts[1].Cost = 1 }, book.Money, "want one of [0]"},
		{"an attempt too few", func(b *book.Books) { b.Rows[1].Attempts = b.Rows[1].Attempts[1:] }, book.Money, "2 attempts, the providers saw 3"},
		{"an attempt too many", func(b *book.Books) { b.Rows[0].Attempts = append(b.Rows[0].Attempts, b.Rows[0].Attempts...) }, book.Money, "saw 1 calls"},
		{"another model", func(b *book.Books) { b.Rows[0].Attempts[0].Model = "large" }, book.Money, "an attempt at p/large"},
		{"an estimate beside its tokens", func(b *book.Books) { b.Rows[3].Attempts[0].Tokens.Input = 9 }, book.Money, "want one of [5 13]"},
		{"an estimate below what was reported", func(b *book.Books) {
			row := &b.Rows[3]
			row.Tokens, row.Attempts[0].Tokens = book.Usage{}, &book.Usage{}
			row.Cost, row.Baseline, row.Kept, row.Attempts[0].Cost = ptr(0), ptr(0), ptr(0), ptr(0)
		}, book.Money, "cost 0, want one of [5]"},
		{"an aborted one beside its tokens", func(b *book.Books) { b.Rows[4].Tokens.Input = 90 }, book.Money, "cost 9, want 90"},
		{"other tokens", func(b *book.Books) { b.Rows[0].Tokens.Reasoning = 0 }, book.Money, "the provider reported"},
		{"a wrong baseline", func(b *book.Books) { *b.Rows[0].Baseline++ }, book.Money, "baseline 1338, want 1337"},
		{"a baseline for nothing", func(b *book.Books) { *b.Rows[2].Baseline = 5 }, book.Money, "baseline 5, want 0"},
		{"another baseline", func(b *book.Books) { b.Rows[0].BaselineModel = "small" }, book.Money, `baseline "small", want "large"`},
		{"a wrong difference", func(b *book.Books) { *b.Rows[0].Kept++ }, book.Money, "kept 1204, want 1203"},
		{"no cost", func(b *book.Books) { b.Rows[0].Cost = nil }, book.Money, "an amount is missing"},
		{"an aggregate counts a batch twice", func(b *book.Books) { b.Sums.Routed += 134 }, book.Total, "the ledger says"},
		{"an aggregate misses a row", func(b *book.Books) { b.Sums.Requests-- }, book.Total, "the ledger says"},
		{"the meter counts one too many", func(b *book.Books) { b.Sums.Received++ }, book.Total, "Received:6"},
		{"a dead letter", func(b *book.Books) { b.Sums.DeadLetters = 1 }, book.Total, "DeadLetters:1"},
		{"the meter misses one", func(b *book.Books) { b.Sums.Incomplete = 1 }, book.Total, "Incomplete:1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := honest()
			tt.spoil(b)
			r := book.Compare(b)
			require.Positive(t, r.Count(tt.kind), r.String())
			require.Contains(t, r.String(), tt.text)
		})
	}
}

// What cannot be known is not held against anybody.
func TestWhatMayBeIsAllowed(t *testing.T) {
	for name, change := range map[string]func(b *book.Books){
		"the proxy died after it had the answer": func(b *book.Books) {
			b.Rows[4] = b.Rows[0]
			b.Rows[4].ID, b.Rows[4].Mark = "5", "killed"
			b.Calls[5].Finished, b.Calls[5].Reported = true, []book.Usage{used}
		},
		"the client left when all was written": func(b *book.Books) {
			b.Calls[4].Finished = true
			b.Rows[3].Outcome, b.Rows[3].Tokens = "ok", book.Usage{Input: 1, Output: 1}
			b.Rows[3].Cost, b.Rows[3].Baseline, b.Rows[3].Attempts[0].Cost = ptr(5), ptr(5), ptr(5)
		},
		"the client left before the last report arrived": func(b *book.Books) {
			b.Requests[3].Events, b.Calls[4].Events = 3, []int{2, 3}
			row := &b.Rows[3]
			row.Tokens, row.Attempts[0].Tokens = book.Usage{Input: 1}, &book.Usage{Input: 1}
			row.Cost, row.Baseline, row.Kept, row.Attempts[0].Cost = ptr(1), ptr(1), ptr(0), ptr(1)
		},
		"the client left before the call arrived": func(b *book.Books) { b.Calls = slices.Delete(b.Calls, 4, 5) },
		"what never arrived is recorded":          func(b *book.Books) { b.Calls = b.Calls[:5] },
	} {
		b := honest()
		change(b)
		b.Sums = nil
		r := book.Compare(b)
		require.True(t, r.Exact(), "%s: %s", name, r.String())
	}
}

func TestOnlyTheFirstAreShown(t *testing.T) {
	b := honest()
	for range 30 {
		b.Calls = append(b.Calls, book.Call{Mark: strings.Repeat("x", len(b.Calls))})
	}
	r := book.Compare(b)
	require.Equal(t, 30, r.Count(book.Phantom))
	require.Equal(t, 20, strings.Count(r.String(), "a call of no request"))
	require.Contains(t, r.String(), "and 10 more")
}

func TestCost(t *testing.T) {
	require.EqualValues(t, routed, book.Cost(small, used))
	require.EqualValues(t, baseline, book.Cost(large, used))
	require.Zero(t, book.Cost(book.Price{Input: 499}, book.Usage{Input: 1}))
	require.EqualValues(t, 1, book.Cost(book.Price{Input: 500}, book.Usage{Input: 1}))
	require.EqualValues(t, 1<<63-1, book.Cost(book.Price{Output: 1 << 62}, book.Usage{Output: 1 << 62}))
}

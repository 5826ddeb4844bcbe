package readlimit

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

// slow is a ledger that responds on demand.
type slow struct {
	Ledger
	asked  map[string]int // by account
	answer chan struct{}
}

func (s *slow) read(account string) error {
	s.asked[account]++
	<-s.answer
	return nil
}

func (s *slow) Page(_ context.Context, q record.Query, _ *record.Cursor, _ int) (record.Page, error) {
	return record.Page{}, s.read(q.Account)
}

func (s *slow) Impact(_ context.Context, q record.Query, _ record.GroupBy) (record.Impact, error) {
	return record.Impact{}, s.read(q.Account)
}

func (s *slow) Series(_ context.Context, q record.Query, _ time.Duration) ([]record.Bucket, error) {
	return nil, s.read(q.Account)
}

func (s *slow) Figures(_ context.Context, q record.Query) (record.Figures, error) {
	return record.Figures{}, s.read(q.Account)
}

func (s *slow) LatencyPercentile(_ context.Context, q record.Query, _ int) (us, samples int64, err error) {
	return 0, 0, s.read(q.Account)
}

// reads returns all slow reads of an account.
func reads(l Ledger, account string) []func() error {
	q := record.Query{Account: account}
	searching := record.Query{Account: account, Terms: []record.Term{{Field: record.ByText}}}
	ctx := context.Background()
	return []func() error{
		func() error { _, err := l.Page(ctx, searching, nil, 10); return err },
		func() error { _, err := l.Page(ctx, q, nil, pageSize); return err },
		func() error { _, err := l.Impact(ctx, q, ""); return err },
		func() error { _, err := l.Series(ctx, q, time.Hour); return err },
		func() error { _, err := l.Figures(ctx, q); return err },
		func() error { _, _, err := l.LatencyPercentile(ctx, q, 95); return err },
	}
}

// TestSlowReadsPerAccountAreLimited checks that an account runs two slow reads at a time,
// that further ones wait and then fail with a retry time, and that other accounts
// are not affected.
func TestSlowReadsPerAccountAreLimited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ledger := &slow{asked: map[string]int{}, answer: make(chan struct{})}
		l := New(ledger, 200)
		results := make(chan error, 100)
		start := func(all []func() error) {
			for _, read := range all {
				go func() { results <- read() }()
				synctest.Wait()
			}
		}
		began := time.Now()
		start(reads(l, "greedy"))
		start(reads(l, "other")[:2])
		require.Equal(t, map[string]int{"greedy": 2, "other": 2}, ledger.asked)
		for range len(reads(l, "greedy")) - 2 {
			var refused *apperr.Error
			require.True(t, errors.As(<-results, &refused))
			require.Equal(t, apperr.ConcurrencyLimitExceeded, refused.Code)
			require.Equal(t, http.StatusTooManyRequests, refused.Code.Spec().Status)
			require.Equal(t, retryAfter, refused.RetryAfter)
			require.Equal(t, Timeout/2, time.Since(began), "a short pause of the ledger rejects nothing")
		}
		start(reads(l, "greedy")[2:3]) // waits and then gets a slot
		start([]func() error{func() error { _, err := l.Page(t.Context(), record.Query{Account: "greedy"}, nil, 50); return err }})
		require.Equal(t, 3, ledger.asked["greedy"], "a plain page does not wait")
		close(ledger.answer)
		for range 6 {
			require.NoError(t, <-results)
		}
		require.Equal(t, 4, ledger.asked["greedy"])
		require.Empty(t, l.byAccount, "idle accounts are removed")
	})
}

// hurried is a ledger that first returns the error for missing slots.
type hurried struct {
	Ledger
	refusals int
}

func (h *hurried) Page(context.Context, record.Query, *record.Cursor, int) (record.Page, error) {
	if h.refusals--; h.refusals >= 0 {
		return record.Page{}, apperr.New(apperr.ConcurrencyLimitExceeded, "not now")
	}
	return record.Page{}, nil
}

// TestStartedExportRetriesForSlot checks that an export that has started retries,
// because a partial one is useless.
func TestStartedExportRetriesForSlot(t *testing.T) {
	for refusals, ok := range map[int]bool{maxAttempts - 1: true, maxAttempts: false} {
		_, err := ReadPageWithRetry(t.Context(), &hurried{refusals: refusals}, record.Query{}, nil)
		require.Equal(t, ok, err == nil, refusals)
	}
}

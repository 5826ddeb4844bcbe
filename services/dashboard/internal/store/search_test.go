package store_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
	"github.com/signalbox/signalbox/services/dashboard/internal/store"
	"github.com/signalbox/signalbox/services/dashboard/internal/store/storetest"
)

// TestTimedOutSearchContinues checks that partial or empty pages lead to all
// matches in the end.
func TestTimedOutSearchContinues(t *testing.T) {
	for name, url := range map[string]string{
		"sqlite": migrated.SQLite(t), "postgres": migrated.Postgres(t),
	} {
		s := storetest.Open(t, url)
		var batch record.Batch
		for n := range 40 {
			r := storetest.Make("acc", n)
			storetest.At(r, storetest.Base().Add(-time.Duration(n)*7*time.Hour))
			if n%10 == 3 {
				r.RequestedModel = "wanted"
			}
			batch.Records = append(batch.Records, r)
		}
		require.NoError(t, s.Insert(t.Context(), batch))
		q := asksFor("wanted")
		found, empty := 0, 0
		for cursor := (*record.Cursor)(nil); ; {
			page, err := s.PageWithTimeout(t.Context(), q, cursor, 50, 0)
			require.NoError(t, err)
			if found += len(page.Items); len(page.Items) == 0 {
				empty++
			}
			if cursor = page.Next; cursor == nil {
				break
			}
		}
		require.Equal(t, 4, found, name)
		require.Positive(t, empty, name)
	}
}

// TestSlowWindowsAreNarrowed checks that slow windows are narrowed and that
// every match is found once. Without any time, the reader gets an error.
func TestSlowWindowsAreNarrowed(t *testing.T) {
	dialects(t, func(t *testing.T, s *store.Store, _ func() *store.Store) {
		var batch record.Batch
		want := 0
		for n := range 1000 {
			r := storetest.Make("acc", n)
			if n%100 == 3 {
				r.RequestedModel = "wanted"
				want++
			}
			batch.Records = append(batch.Records, r)
		}
		require.NoError(t, s.Insert(t.Context(), batch))
		s.SetWindowTimeout(func(width time.Duration) time.Duration {
			if width > 10*time.Second {
				return 0
			}
			return time.Minute
		})
		for _, patience := range []time.Duration{0, time.Second} { // less than the time limit of a read, which a busy machine reaches
			found := map[string]bool{}
			for cursor := (*record.Cursor)(nil); ; {
				page, err := s.PageWithTimeout(t.Context(), asksFor("wanted"), cursor, 50, patience)
				require.NoError(t, err)
				for _, r := range page.Items {
					require.False(t, found[r.ID.String()])
					found[r.ID.String()] = true
				}
				if page.Next != nil && cursor != nil {
					require.True(t, page.Next.Time.Before(cursor.Time), "it goes on")
				}
				if cursor = page.Next; cursor == nil {
					break
				}
			}
			require.Len(t, found, want, patience)
		}
		s.SetWindowTimeout(func(time.Duration) time.Duration { return 0 })
		_, err := s.Page(t.Context(), asksFor("wanted"), nil, 50)
		require.True(t, apperr.Is(err, apperr.StoreUnavailable), err)
	})
}

func asksFor(model string) record.Query {
	return record.Query{Account: "acc", Terms: []record.Term{{Field: record.ByRequestedModel, Tests: []record.Test{{Op: record.Equal, Text: model}}}}}
}

// TestReadersAreLimited checks that the error of a slow read says what to do, and that Postgres
// compiles no plans.
func TestReadersAreLimited(t *testing.T) {
	s := storetest.Open(t, migrated.Postgres(t))
	compiled, err := s.Count(t.Context(), `SELECT COUNT(*) FROM pg_settings WHERE name = 'jit' AND setting = 'on'`)
	require.NoError(t, err)
	require.Zero(t, compiled)
	late, cancel := context.WithTimeout(t.Context(), 0)
	defer cancel()
	_, err = s.Impact(late, record.Query{Account: "acc"}, record.GroupModel)
	require.True(t, apperr.Is(err, apperr.StoreUnavailable), err)
	require.ErrorContains(t, err, "narrower filter")
}

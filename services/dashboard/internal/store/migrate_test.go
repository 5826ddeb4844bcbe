package store_test

import (
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/sqldb"
	"github.com/signalbox/signalbox/pkg/testkit/testenv"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
	"github.com/signalbox/signalbox/services/dashboard/internal/store"
	"github.com/signalbox/signalbox/services/dashboard/internal/store/storetest"
)

func TestStoredFailuresLoseTheirSavings(t *testing.T) {
	t.Run("sqlite", func(t *testing.T) {
		requireFailuresMigrated(t, sqldb.SQLiteURL(filepath.Join(t.TempDir(), "records.db")))
	})
	t.Run("postgres", func(t *testing.T) { requireFailuresMigrated(t, testenv.Postgres(t)) })
}

// requireFailuresMigrated stores failures, gives them the sums that older builds stored,
// and requires that the migration restores the right sums.
func requireFailuresMigrated(t *testing.T, url string) {
	s, err := store.OpenConfig(t.Context(), store.Config{URL: url, Timeouts: storetest.LongTimeouts()})
	require.NoError(t, err)
	var all []*record.Record
	for n, outcome := range []record.Outcome{record.OutcomeOK, record.OutcomeError, record.OutcomeInterrupted, record.OutcomeAborted, record.OutcomeClientClosed} {
		for i := range 3 {
			r := storetest.Make("acc", 3*n+i)
			r.Outcome = outcome
			if i == 2 {
				r.Cost = nil
			}
			r.ApplyBaselineRule()
			all = append(all, r)
		}
	}
	for n, at := range []time.Time{storetest.Base().Add(3 * time.Hour), time.Unix(-1, 0)} {
		r := storetest.Make("acc", 100+n)
		r.Outcome, r.Cost, r.Time = record.OutcomeError, nil, at
		r.ApplyBaselineRule()
		all = append(all, r)
	}
	require.NoError(t, s.Insert(t.Context(), record.Batch{Records: all}))
	want := impacts(t, s)
	require.Equal(t, int64(2*2*900-3*2*100), want[0].Saved)
	require.Equal(t, int64(5), want[0].Unpriced)
	require.Equal(t, int64(6), want[1].Unpriced)

	const failed = " WHERE outcome IN ('error', 'interrupted', 'aborted')"
	for _, statement := range []string{
		"UPDATE requests SET baseline_nano_usd = CASE WHEN id = (SELECT id FROM requests" + failed + " ORDER BY time_us LIMIT 1) THEN NULL ELSE 1000 END" + failed,
		"UPDATE hourly SET baseline_nano = 2000, saved_nano = 900, unpriced = unpriced + 1" + failed,
		"UPDATE daily SET baseline_nano = 2000, saved_nano = 900, unpriced = unpriced + 1" + failed,
		"DELETE FROM migrations WHERE number = 2",
	} {
		require.NoError(t, s.Exec(t.Context(), statement))
	}
	dropClients(t, s)
	require.NotEqual(t, want, impacts(t, s))
	require.NoError(t, s.Close())
	require.Equal(t, want, impacts(t, storetest.Open(t, url)))
}

// impacts returns the sums over one hour, a whole day, two months, an hour and two
// months before 1970, and single rows: no sums by requested model are stored.
func impacts(t *testing.T, s *store.Store) (sums []record.Sums) {
	rows, err := record.ParseFilter("requested_model:auto")
	require.NoError(t, err)
	base := storetest.Base()
	day := base.Truncate(24 * time.Hour)
	for _, q := range []record.Query{
		{Account: "acc", From: base, To: base.Add(time.Hour)},
		{Account: "acc", From: day, To: day.AddDate(0, 0, 1)},
		{Account: "acc", From: day.AddDate(0, -2, 0), To: day.AddDate(0, 0, 1)},
		{Account: "acc", From: time.Unix(-3600, 0), To: time.Unix(0, 0)},
		{Account: "acc", From: time.Unix(0, 0).UTC().AddDate(0, -2, 0), To: time.Unix(0, 0)},
		{Account: "acc", Terms: rows},
	} {
		i, err := s.Impact(t.Context(), q, "")
		require.NoError(t, err)
		sums = append(sums, i.Sums)
	}
	return sums
}

// The migration must not search the requests once per aggregate row: it delays the start.
func TestFailuresAreMigratedWithoutRepeatedSearches(t *testing.T) {
	t.Run("sqlite", func(t *testing.T) {
		requireNoSubqueryPerRow(t, "sqlite", sqldb.SQLiteURL(filepath.Join(t.TempDir(), "records.db")))
	})
	t.Run("postgres", func(t *testing.T) { requireNoSubqueryPerRow(t, "postgres", testenv.Postgres(t)) })
}

func requireNoSubqueryPerRow(t *testing.T, dialect, url string) {
	text, err := fs.ReadFile(store.Migrations(), "migrations/"+dialect+"/0002_failures_save_nothing.sql")
	require.NoError(t, err)
	s := storetest.Open(t, url)
	for statement := range strings.SplitSeq(strings.TrimSpace(string(text)), ";\n") {
		plan, err := s.ExplainStatement(t.Context(), statement)
		require.NoError(t, err, statement)
		require.Contains(t, strings.ToLower(plan), "scan")
		require.NotContains(t, plan, "CORRELATED", statement)
		require.NotContains(t, plan, "SubPlan", statement)
	}
}

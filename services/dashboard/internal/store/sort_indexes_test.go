package store_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/services/dashboard/internal/record"
	"github.com/signalbox/signalbox/services/dashboard/internal/store"
	"github.com/signalbox/signalbox/services/dashboard/internal/store/storetest"
)

// countSortIndexes returns how many usable indexes of sort orders the partition of a day has.
func countSortIndexes(t *testing.T, s *store.Store, days int) int {
	t.Helper()
	return count(t, s, `SELECT COUNT(*) FROM pg_index JOIN pg_class ON oid = indexrelid
		WHERE indrelid = to_regclass('`+day("requests", days)+`') AND indisvalid AND relname ~ '_by_'`)
}

// openAtNoon opens a store whose clock is at noon, because yesterday is not indexed yet in the first minutes
// of a day.
func openAtNoon(t *testing.T, url string) *store.Store {
	t.Helper()
	noon := time.Now().UTC().Truncate(24 * time.Hour).Add(12 * time.Hour)
	s := storetest.Open(t, url)
	s.SetClock(func() time.Time { return noon })
	return s
}

// Today's requests have no indexes of sort orders, unless they are many. Those of past days get them once,
// also if some are missing, and ten minutes after the day is over.
func TestPastDaysAreIndexed(t *testing.T) {
	s := openAtNoon(t, migrated.Postgres(t))
	require.NoError(t, s.CreatePartitions(t.Context(), 2))
	old(t, s, "acc", 0, 1, 3)
	for range 2 {
		require.NoError(t, s.IndexDays(t.Context()))
		for days, want := range map[int]int{1: 0, 0: 0, -1: 5, -3: 5} {
			require.Equal(t, want, countSortIndexes(t, s, days), days)
		}
	}
	require.NoError(t, s.Exec(t.Context(), `DROP INDEX `+day("requests", -1)+`_by_ttft`))
	require.NoError(t, s.IndexDays(t.Context()))
	require.Equal(t, 5, countSortIndexes(t, s, -1))

	late := now(9)
	late.ID = storetest.ID(time.Now().AddDate(0, 0, -1), 9)
	require.NoError(t, s.Insert(t.Context(), record.Batch{Records: []*record.Record{late}}))
	midnight := time.Now().UTC().Truncate(24*time.Hour).AddDate(0, 0, 1)
	s.SetClock(func() time.Time { return midnight.Add(10*time.Minute - 1) })
	require.NoError(t, s.IndexDays(t.Context()))
	require.Zero(t, countSortIndexes(t, s, 0), "late records may arrive")
	s.SetClock(func() time.Time { return midnight.Add(10 * time.Minute) })
	require.NoError(t, s.IndexDays(t.Context()))
	require.Equal(t, 5, countSortIndexes(t, s, 0), "the day is over")
}

func TestLargeDaysAreIndexed(t *testing.T) {
	s := openAtNoon(t, migrated.Postgres(t))
	require.NoError(t, s.CreatePartitions(t.Context(), 2))
	old(t, s, "acc", 0)
	size := count(t, s, `SELECT pg_relation_size('`+day("requests", 0)+`')`)
	s.SetMaxUnindexed(int64(size))
	require.NoError(t, s.IndexDays(t.Context()))
	require.Zero(t, countSortIndexes(t, s, 0))
	s.SetMaxUnindexed(int64(size) - 1)
	require.NoError(t, s.IndexDays(t.Context()))
	require.Equal(t, 5, countSortIndexes(t, s, 0))
	require.Zero(t, countSortIndexes(t, s, 1))
}

// The statistics of a day are collected with its last index. A day that is held delays no other.
func TestADayThatIsHeldIsIndexedLater(t *testing.T) {
	url := migrated.Postgres(t)
	s, other := openAtNoon(t, url), storetest.Open(t, url)
	old(t, s, "acc", 1, 2)
	// An index can be created beside another one, but ANALYZE cannot run meanwhile.
	for _, held := range []struct {
		mode    string
		indexes int
	}{{"ROW EXCLUSIVE", 0}, {"SHARE", 4}} {
		err := other.Hold(t.Context(), `LOCK TABLE `+day("requests", -1)+` IN `+held.mode+` MODE`, func() {
			require.ErrorIs(t, s.IndexDays(t.Context()), store.ErrBusy)
		})
		require.NoError(t, err)
		require.Equal(t, held.indexes, countSortIndexes(t, s, -1), held.mode)
		require.Equal(t, 5, countSortIndexes(t, s, -2), "the other day is not delayed")
	}
	require.NoError(t, s.IndexDays(t.Context()))
	for _, days := range []int{-1, -2} {
		require.Equal(t, 5, countSortIndexes(t, s, days))
		require.Positive(t, count(t, s, `SELECT COUNT(*) FROM pg_stats WHERE tablename = '`+day("requests", days)+`_by_saved'`))
	}
}

// A downgrade gives all days the indexes again, and the next upgrade takes those of today away.
func TestDowngradeFromSortIndexes(t *testing.T) {
	url := migrated.Postgres(t)
	s := openAtNoon(t, url)
	old(t, s, "acc", 0, 1)
	require.NoError(t, s.IndexDays(t.Context()))
	takeBack(t, s, "0017_sort_indexes.sql")
	require.Equal(t, 5, count(t, s, `SELECT COUNT(*) FROM pg_inherits WHERE inhrelid IN (
		SELECT indexrelid FROM pg_index WHERE indrelid = '`+day("requests", -1)+`'::regclass)
		AND inhparent::regclass::text ~ 'requests_by_'`), "the indexes of past days are used")
	require.NoError(t, s.Exec(t.Context(), "DELETE FROM migrations WHERE number = 17"))
	s = openAtNoon(t, url)
	require.Zero(t, countSortIndexes(t, s, 0))
	require.NoError(t, s.IndexDays(t.Context()))
	require.Equal(t, 5, countSortIndexes(t, s, -1))
}

// While an instance creates indexes or deletes, another one does not start.
func TestOneInstanceIndexesPastDays(t *testing.T) {
	url := migrated.Postgres(t)
	s, other := openAtNoon(t, url), storetest.Open(t, url)
	old(t, s, "acc", 1)
	err := other.Hold(t.Context(), `SELECT pg_advisory_xact_lock(1380275265)`, func() {
		require.ErrorIs(t, s.IndexDays(t.Context()), store.ErrBusy)
	})
	require.NoError(t, err)
	require.Zero(t, countSortIndexes(t, s, -1))
	require.NoError(t, s.IndexDays(t.Context()))
	err = other.Hold(t.Context(), `SELECT pg_advisory_xact_lock(1380275265)`, func() {
		require.NoError(t, s.IndexDays(t.Context()), "nothing is missing")
	})
	require.NoError(t, err)
}

// Pages in the order of a number are the same with and without indexes, and read the index of a past
// day in its order.
func TestPastDaysAreReadInTheirOrder(t *testing.T) {
	url := migrated.Postgres(t)
	s := openAtNoon(t, url)
	var batch record.Batch
	for n := range 300 {
		r := storetest.Make("acc", n)
		r.Time = time.Now().UTC().AddDate(0, 0, -n%3)
		r.ID, r.Latency, r.TTFT = storetest.ID(r.Time, n), int64(n*7919%100), int64(n*31%50)
		r.Cost, r.BaselineCost, r.Tokens.Input = storetest.Nano(int64(n*17%90)), storetest.Nano(int64(n*13%70)), int64(n*11%80)
		batch.Records = append(batch.Records, r)
	}
	require.NoError(t, s.Insert(t.Context(), batch))
	orders := []record.Field{record.ByCost, record.BySaved, record.ByLatency, record.ByTTFT, record.ByTokens}
	before := map[record.Field][]string{}
	for _, by := range orders {
		before[by] = sortedIDs(t, s, "", by)
	}
	require.NoError(t, s.IndexDays(t.Context()))
	// So few requests are sorted faster than read in their order.
	require.NoError(t, s.Exec(t.Context(), `DO $$ BEGIN
		EXECUTE format('ALTER DATABASE %I SET enable_seqscan = off', current_database());
		EXECUTE format('ALTER DATABASE %I SET enable_sort = off', current_database());
		EXECUTE format('ALTER DATABASE %I SET enable_bitmapscan = off', current_database());
	END $$`))
	s = openAtNoon(t, url)
	for _, by := range orders {
		require.Equal(t, before[by], sortedIDs(t, s, "", by), by)
		// Postgres reads the days before and after the range too, because a record may have another day.
		from := time.Now().UTC().Truncate(24*time.Hour).AddDate(0, 0, -3)
		plan, err := s.ExplainPage(t.Context(), record.Query{Account: "acc", From: from, To: from.AddDate(0, 0, 1), Sort: record.Sort{By: by}})
		require.NoError(t, err)
		require.Contains(t, plan, day("requests", -2)+"_by_"+string(by))
		require.Contains(t, plan, "Merge Append")
	}
}

package store_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"github.com/signalbox/signalbox/pkg/records"
	"github.com/signalbox/signalbox/pkg/sqldb"
	recordv1 "github.com/signalbox/signalbox/proto/signalbox/record/v1"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
	"github.com/signalbox/signalbox/services/dashboard/internal/store"
	"github.com/signalbox/signalbox/services/dashboard/internal/store/storetest"
)

// TestPartitions checks that partitions are created in advance, and that rows in the
// default partition do not block inserts.
func TestPartitions(t *testing.T) {
	url := migrated.Postgres(t)
	s := storetest.Open(t, url)
	require.NoError(t, s.CreatePartitions(t.Context(), 3))
	require.NoError(t, storetest.Open(t, url).CreatePartitions(t.Context(), 3), "another instance did")
	require.NoError(t, s.Insert(t.Context(), record.Batch{Records: []*record.Record{captured(now(1))}}))
	for table, want := range map[string]int{
		day("requests", 0): 1, day("content", 0): 1, "requests_default": 0, "content_default": 0,
		day("requests", 1): 0, day("content", 2): 0,
	} {
		require.Equal(t, want, count(t, s, `SELECT COUNT(*) FROM `+table), table)
	}
	// The insert creates the third one.
	late := now(2)
	late.ID = storetest.ID(time.Now().AddDate(0, 0, -3), 2)
	require.NoError(t, s.Insert(t.Context(), record.Batch{Records: []*record.Record{late}}))
	require.Equal(t, 1, count(t, s, `SELECT COUNT(*) FROM `+day("requests", -3)))
	for _, statement := range []string{
		`CREATE TABLE kept AS SELECT * FROM ` + day("requests", 0), `DROP TABLE ` + day("requests", 0), `INSERT INTO requests SELECT * FROM kept`,
	} {
		require.NoError(t, s.Exec(t.Context(), statement))
	}
	again := storetest.Open(t, url)
	require.NoError(t, again.Insert(t.Context(), record.Batch{Records: []*record.Record{now(3)}}))
	require.Equal(t, 2, count(t, again, `SELECT COUNT(*) FROM requests_default`))
	// Postgres must not compress the compressed bytes again.
	require.Equal(t, 2, count(t, s, `SELECT COUNT(*) FROM pg_attribute
		WHERE attrelid = to_regclass('`+day("content", 1)+`') AND attname IN ('request', 'response') AND attstorage = 'e'`))
}

// old stores records of the given age in days, with content; always the same ones.
func old(t *testing.T, s *store.Store, account string, days ...int) {
	t.Helper()
	for n, ago := range days {
		r := captured(storetest.Make(account, n))
		r.Time = time.Now().UTC().Truncate(24*time.Hour).AddDate(0, 0, -ago)
		r.ID = storetest.ID(r.Time, 100*ago+n+len(account)<<8)
		r.Session, r.Latency, r.Inputs = fmt.Sprint("session-", n), 0, &record.DecisionInputs{Tags: []string{"prod"}}
		require.NoError(t, s.Insert(t.Context(), record.Batch{Records: []*record.Record{r}}))
	}
}

// The groups of a day are deleted in chunks. What is deleted stays deleted if a later chunk fails,
// and the next call deletes the rest.
func TestDropRequestsDeletesGroupsInChunks(t *testing.T) {
	for table, from := range map[string][2]string{"group_daily": {"day", "daily"}, "group_hourly": {"hour", "hourly"}} {
		t.Run(table, func(t *testing.T) {
			s := storetest.Open(t, sqliteFile(t))
			old(t, s, "acc", 40)
			groups := `SELECT COUNT(*) FROM ` + table
			few := count(t, s, groups)
			for _, statement := range []string{
				`INSERT INTO ` + table + ` SELECT account_id, 'user', at, 'u' || (10000 + n), 1, 0, 0, 0, 0, 0, 0, 0 FROM (SELECT account_id, ` + from[0] + ` AS at FROM ` + from[1] + `),
					(WITH RECURSIVE number(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 2500) SELECT n FROM number)`,
				`CREATE TRIGGER refuse BEFORE DELETE ON ` + table + ` WHEN old.value = 'u12400' BEGIN SELECT RAISE(ABORT, 'refused'); END`,
			} {
				require.NoError(t, s.Exec(t.Context(), statement))
			}
			require.Equal(t, 2500+few, count(t, s, groups))
			require.ErrorContains(t, s.DropRequests(t.Context(), time.Now().AddDate(0, 0, -10)), "refused")
			require.Equal(t, 500+few, count(t, s, groups))
			require.NoError(t, s.Exec(t.Context(), `DROP TRIGGER refuse`))
			require.NoError(t, s.DropRequests(t.Context(), time.Now().AddDate(0, 0, -10)))
			require.Zero(t, count(t, s, groups))
		})
	}
}

func TestDropRequests(t *testing.T) {
	dialects(t, func(t *testing.T, s *store.Store, _ func() *store.Store) {
		old(t, s, "acc", 0, 1, 9, 10, 11, 40, 900)
		s.SetClock(func() time.Time { return time.Now().AddDate(0, 0, -50) })
		dead := record.DeadLetter{Entry: records.Entry{Producer: "p", Seq: 1}, Reason: "old"}
		require.NoError(t, s.Insert(t.Context(), record.Batch{DeadLetters: []record.DeadLetter{dead}}))
		s.SetClock(time.Now)
		require.NoError(t, s.DropRequests(t.Context(), time.Now().AddDate(0, 0, -10)))
		for _, table := range []string{"requests", "content", "hourly", "daily", "sessions"} {
			require.Equal(t, 4, count(t, s, `SELECT COUNT(*) FROM `+table), table)
		}
		require.Equal(t, 4*3, count(t, s, `SELECT COUNT(*) FROM group_daily`), "an agent, a user and a tag per day")
		require.Equal(t, 4*4, count(t, s, `SELECT COUNT(*) FROM group_hourly`), "a session too")
		require.Zero(t, count(t, s, `SELECT COUNT(*) FROM dead_letters`))
		requireSums(t, s)
		if s.Dialect() == sqldb.SQLite { // Postgres has an index instead
			require.Equal(t, 4, count(t, s, `SELECT COUNT(*) FROM request_labels`))
		}

		// Nothing of today is deleted.
		require.NoError(t, s.DropRequests(t.Context(), time.Now().AddDate(0, 0, 30)))
		require.NoError(t, s.DropContent(t.Context(), time.Now().AddDate(0, 0, 30)))
		require.NoError(t, s.DropAccountContent(t.Context(), "acc", time.Now().AddDate(0, 0, 30)))
		for _, table := range []string{"requests", "content", "hourly", "daily", "sessions"} {
			require.Equal(t, 1, count(t, s, `SELECT COUNT(*) FROM `+table), table)
		}
	})
}

// TestAggregatesAreDeletedWithRows checks that the remaining hours and days add up wherever
// in a day the cut is.
func TestAggregatesAreDeletedWithRows(t *testing.T) {
	dialects(t, func(t *testing.T, s *store.Store, _ func() *store.Store) {
		random, today := rand.New(rand.NewPCG(7, 8)), time.Now().UTC().Truncate(24*time.Hour)
		all := mixed(random, 400)
		for n, r := range all {
			r.Time = today.Add(-time.Duration(random.Int64N(int64(9 * 24 * time.Hour)))).Truncate(time.Microsecond)
			r.ID = storetest.ID(r.Time, n)
		}
		for _, cut := range []time.Duration{9*24*time.Hour + 5*time.Minute, 6*24*time.Hour + time.Hour, 3*24*time.Hour - 1, 3 * 24 * time.Hour} {
			require.NoError(t, s.Insert(t.Context(), record.Batch{Records: all}))
			before := today.Add(-cut)
			require.NoError(t, s.DropRequests(t.Context(), before))
			requireSums(t, s)
			kept := 0
			for _, r := range all {
				if !r.Time.Before(before.Truncate(24 * time.Hour)) {
					kept++
				}
			}
			var requests int64
			for account := range 3 {
				impact, err := s.Impact(t.Context(), record.Query{Account: fmt.Sprintf("acc_%d", account)}, "")
				require.NoError(t, err)
				requests += impact.Requests
			}
			require.EqualValues(t, kept, requests, before)
		}
	})
}

// TestDeadLettersLoseTheirContent checks that undecodable ones are deleted, and that
// parked ones lose only their content.
func TestDeadLettersLoseTheirContent(t *testing.T) {
	dialects(t, func(t *testing.T, s *store.Store, _ func() *store.Store) {
		id := uuid.Must(uuid.NewV7())
		raw, err := proto.Marshal(&recordv1.RequestRecord{
			Schema: 99, Id: id[:], AccountId: "acc", Content: &recordv1.Content{Request: []byte("canary")},
		})
		require.NoError(t, err)
		var seq uint64
		for _, age := range []int{20, 5, 0} {
			s.SetClock(func() time.Time { return time.Now().AddDate(0, 0, -age) })
			for _, parked := range []bool{false, true} {
				seq++
				dead := record.DeadLetter{Entry: records.Entry{Producer: "p", Seq: seq, Record: raw}, Parked: parked}
				require.NoError(t, s.Insert(t.Context(), record.Batch{DeadLetters: []record.DeadLetter{dead}}))
			}
		}
		s.SetClock(time.Now)
		for _, c := range []struct {
			days int
			want map[int64]bool // whether it has its content
		}{
			{10, map[int64]bool{2: false, 3: true, 4: true, 5: true, 6: true}},
			{-9, map[int64]bool{2: false, 4: false, 5: true, 6: true}}, // nothing of today is deleted
		} {
			for range 2 {
				require.NoError(t, s.ApplyDeadLetterRetention(t.Context(), time.Now().AddDate(0, 0, -c.days)))
			}
			letters, err := s.DeadLettersAfter(t.Context(), record.DeadLetterID{}, true, 100)
			require.NoError(t, err)
			got := map[int64]bool{}
			for _, d := range letters {
				got[d.ID.Seq] = bytes.Contains(d.Entry.Record, []byte("canary"))
				require.Contains(t, string(d.Entry.Record), "acc")
			}
			require.Equal(t, c.want, got)
		}
	})
}

// TestDropAccountContent has accounts that sort before and after the one that loses content.
func TestDropAccountContent(t *testing.T) {
	dialects(t, func(t *testing.T, s *store.Store, _ func() *store.Store) {
		for _, account := range []string{"long", "short", "standby"} {
			old(t, s, account, 0, 5, 20, 40, 700)
		}
		accounts, err := s.ListContentAccounts(t.Context())
		require.NoError(t, err)
		require.Equal(t, []string{"long", "short", "standby"}, accounts)
		require.NoError(t, s.DropAccountContent(t.Context(), "short", time.Now().AddDate(0, 0, -7)))
		require.Equal(t, 5, count(t, s, `SELECT COUNT(*) FROM content WHERE account_id = 'long'`))
		require.Equal(t, 2, count(t, s, `SELECT COUNT(*) FROM content WHERE account_id = 'short'`))
		require.Equal(t, 5, count(t, s, `SELECT COUNT(*) FROM content WHERE account_id = 'standby'`))
		require.NoError(t, s.DropContent(t.Context(), time.Now().AddDate(0, 0, -30)))
		require.Equal(t, 3, count(t, s, `SELECT COUNT(*) FROM content WHERE account_id = 'long'`))
		require.Equal(t, 15, count(t, s, `SELECT COUNT(*) FROM requests`), "the records stay")
	})
}

// TestPartitionsAreDropped checks that old days are dropped whole, and that a
// repeated batch does not restore content.
func TestPartitionsAreDropped(t *testing.T) {
	s := storetest.Open(t, migrated.Postgres(t))
	old(t, s, "acc", 3, 20)
	require.NoError(t, s.DropContent(t.Context(), time.Now().AddDate(0, 0, -10)))
	const there = `SELECT COUNT(*) FROM pg_class WHERE relname = '`
	require.Zero(t, count(t, s, there+day("content", -20)+`'`))
	require.Equal(t, 1, count(t, s, there+day("requests", -20)+`'`))
	require.Equal(t, 1, count(t, s, there+day("content", -3)+`'`))
	old(t, s, "acc", 3, 20)
	require.Equal(t, 1, count(t, s, `SELECT COUNT(*) FROM content`))
}

// TestDeletionDoesNotWaitForLocks checks that a deletion gives up quickly if another
// instance deletes or a reader holds the table.
func TestDeletionDoesNotWaitForLocks(t *testing.T) {
	url := migrated.Postgres(t)
	s, other := storetest.Open(t, url), storetest.Open(t, url)
	old(t, s, "acc", 20)
	for _, statement := range []string{`SELECT pg_advisory_xact_lock(1380275265)`, `LOCK TABLE requests IN ACCESS SHARE MODE`} {
		err := other.Hold(t.Context(), statement, func() {
			require.ErrorIs(t, s.DropRequests(t.Context(), time.Now()), store.ErrBusy, statement)
		})
		require.NoError(t, err)
	}
	require.NoError(t, s.DropRequests(t.Context(), time.Now()))
	require.Zero(t, count(t, s, `SELECT COUNT(*) FROM requests`))
}

func TestTrimFeed(t *testing.T) {
	dialects(t, func(t *testing.T, s *store.Store, _ func() *store.Store) {
		s.SetClock(func() time.Time { return time.Now().Add(-2 * time.Hour) })
		for n := range 3 {
			require.NoError(t, s.Insert(t.Context(), record.Batch{Records: []*record.Record{storetest.Make("acc", n)}}))
		}
		require.NoError(t, s.TrimFeed(t.Context(), time.Now()))
		require.Equal(t, 3, count(t, s, `SELECT COUNT(*) FROM feed`), "the newest stay")
		require.NoError(t, s.Exec(t.Context(), `UPDATE feed_clock SET position = 2 + `+strconv.Itoa(store.FeedLeast)))
		require.NoError(t, s.TrimFeed(t.Context(), time.Now().Add(-90*time.Minute)))
		require.Equal(t, 3, count(t, s, `SELECT COUNT(*) FROM feed`), "not old enough")
		require.NoError(t, s.TrimFeed(t.Context(), time.Now()))
		require.Equal(t, 1, count(t, s, `SELECT COUNT(*) FROM feed`))
		require.Equal(t, 2, count(t, s, `SELECT trimmed FROM feed_clock`))
	})
}

package store_test

import (
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/services/dashboard/internal/record"
	"github.com/signalbox/signalbox/services/dashboard/internal/store"
	"github.com/signalbox/signalbox/services/dashboard/internal/store/storetest"
)

// takeBack runs the undo files of migrations.
func takeBack(t *testing.T, s *store.Store, names ...string) {
	t.Helper()
	for _, name := range names {
		undo, err := fs.ReadFile(store.Migrations(), fmt.Sprintf("migrations/undo/%s/%s", s.Dialect(), name))
		require.NoError(t, err)
		for statement := range strings.SplitSeq(strings.TrimSpace(string(undo)), ";\n") {
			require.NoError(t, s.Exec(t.Context(), statement))
		}
	}
}

// The migrations that add groups fill them from the stored requests.
func TestMigrationsFillGroups(t *testing.T) {
	dialects(t, func(t *testing.T, s *store.Store, again func() *store.Store) {
		insertGroups(t, s)
		requireGroups(t, s)
		takeBack(t, s, "0017_sort_indexes.sql")
		for _, statement := range []string{
			"DROP TABLE group_daily", "DROP TABLE group_hourly", "DROP INDEX IF EXISTS requests_label_names",
			"DROP INDEX sessions_of_users", "DELETE FROM migrations WHERE number >= 13",
		} {
			require.NoError(t, s.Exec(t.Context(), statement))
		}
		requireGroups(t, again())
	})
}

// The version before hourly groups has the sums of sessions by day.
func TestDowngradeFromHourlyGroups(t *testing.T) {
	dialects(t, func(t *testing.T, s *store.Store, again func() *store.Store) {
		insertGroups(t, s)
		// An older version that still runs writes sums of sessions by day.
		require.NoError(t, s.Exec(t.Context(), `INSERT INTO group_daily SELECT account_id, dimension, (hour - (hour % 24 + 24) % 24) / 24, value, 1, 0, 0, 0, 0, 0, 0, 0
			FROM group_hourly WHERE dimension = 'session' GROUP BY 1, 2, 3, 4`))
		takeBack(t, s, "0017_sort_indexes.sql", "0016_sessions_of_users.sql", "0015_hourly_groups.sql")
		for _, dimension := range []string{"agent", "user", "session", "tag"} {
			requireGroupSums(t, s, dimension, "group_daily", "day", 24*time.Hour)
		}
		require.NoError(t, s.Exec(t.Context(), "DELETE FROM migrations WHERE number >= 15"))
		requireGroups(t, again())
	})
}

// Retention deletes groups before totals. A total without groups is no group.
func TestATotalWithoutGroups(t *testing.T) {
	dialects(t, func(t *testing.T, s *store.Store, _ func() *store.Store) {
		insertGroups(t, s)
		for _, table := range []string{"group_daily", "group_hourly"} {
			require.NoError(t, s.Exec(t.Context(), "DELETE FROM "+table))
		}
		from := storetest.Base().Truncate(time.Hour)
		spend, err := s.Spend(t.Context(), record.Query{Account: "acc", From: from, To: from.Add(24 * time.Hour)}, record.GroupTag)
		require.NoError(t, err)
		require.Positive(t, spend.Requests)
		require.Empty(t, spend.Groups)
		require.Empty(t, spend.OtherCosts)
	})
}

// insertGroups stores requests of several agents, users, sessions and tags, also before 1970.
func insertGroups(t *testing.T, s *store.Store) {
	t.Helper()
	var all []*record.Record
	for n := range 60 {
		r := storetest.Make("acc", n)
		storetest.At(r, storetest.Base().Add(time.Duration(n)*100*time.Minute))
		if n%9 == 0 {
			r.Time = time.UnixMicro(-1 - int64(n)*5_000_000_000)
		}
		r.Budgets = []string{"team"}
		r.Agent, r.User, r.Session = fmt.Sprint("agent-", n%3), fmt.Sprint("user-", n%4), fmt.Sprint("session-", n/3)
		if n%5 > 0 {
			r.Inputs = &record.DecisionInputs{Tags: []string{fmt.Sprint("tag-", n%2), "all", "all"}}
		}
		if n%7 == 0 {
			r.Cost = nil
		}
		all = append(all, r)
	}
	require.NoError(t, s.Insert(t.Context(), record.Batch{Records: all}))
}

package store_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/records"
	"github.com/signalbox/signalbox/pkg/sqldb"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
	"github.com/signalbox/signalbox/services/dashboard/internal/store"
	"github.com/signalbox/signalbox/services/dashboard/internal/store/storetest"
)

// dialects runs a test on both databases. again opens the same database once more.
func dialects(t *testing.T, test func(t *testing.T, s *store.Store, again func() *store.Store)) {
	for name, url := range map[string]func(testing.TB) string{"sqlite": migrated.SQLite, "postgres": migrated.Postgres} {
		t.Run(name, func(t *testing.T) {
			at := url(t)
			test(t, storetest.Open(t, at), func() *store.Store { return storetest.Open(t, at) })
		})
	}
}

// requireExact compares the aggregates and the feed with the rows.
func requireExact(t *testing.T, s *store.Store) {
	t.Helper()
	requireSums(t, s)
	stored := count(t, s, `SELECT COUNT(*) FROM requests`)
	fed := count(t, s, `SELECT CAST(COALESCE(SUM(LENGTH(ids)), 0) AS BIGINT) / 16 FROM feed`)
	require.Equal(t, stored, fed, "each record is in the feed once")
}

// requireGroups compares the sums by agent, user, session and tag with the rows.
func requireGroups(t *testing.T, s *store.Store) {
	t.Helper()
	for _, dimension := range []string{"agent", "user", "tag"} {
		requireGroupSums(t, s, dimension, "group_daily", "day", 24*time.Hour)
		requireGroupSums(t, s, dimension, "group_hourly", "hour", time.Hour)
	}
	requireGroupSums(t, s, "session", "group_hourly", "hour", time.Hour)
	require.Zero(t, count(t, s, `SELECT COUNT(*) FROM group_daily WHERE dimension = 'session'`))
	require.Zero(t, count(t, s, `SELECT COUNT(*) FROM group_hourly WHERE dimension NOT IN ('agent', 'session', 'tag', 'user')`), "retention would not delete these")
}

// requireGroupSums compares the sums of one dimension with the rows.
func requireGroupSums(t *testing.T, s *store.Store, dimension, table, column string, step time.Duration) {
	t.Helper()
	tags := "json_each(requests.labels) AS label ON substr(label.key, 1, 4) = 'tag.'"
	if s.Dialect() == sqldb.Postgres {
		tags = "LATERAL jsonb_object_keys(labels) AS label (key) ON substr(label.key, 1, 4) = 'tag.'"
	}
	from := map[string][2]string{
		"agent": {"agent", "requests"}, "user": {"end_user", "requests"}, "session": {"session", "requests"},
		"tag": {"COALESCE(substr(label.key, 5), '')", "requests LEFT JOIN " + tags},
	}[dimension]
	rows := fmt.Sprintf(`SELECT account_id, (time_us - (time_us %% %[1]d + %[1]d) %% %[1]d) / %[1]d AS at, `, step.Microseconds()) + from[0] + ` AS value, COUNT(*) AS requests,
		COUNT(CASE WHEN cost_nano_usd IS NULL OR baseline_nano_usd IS NULL THEN 1 END) AS unpriced,
		COALESCE(SUM(cost_nano_usd / 1000000000), 0) AS ru, COALESCE(SUM(cost_nano_usd % 1000000000), 0) AS rn,
		COALESCE(SUM(baseline_nano_usd / 1000000000), 0) AS bu, COALESCE(SUM(baseline_nano_usd % 1000000000), 0) AS bn,
		COALESCE(SUM(baseline_nano_usd / 1000000000 - cost_nano_usd / 1000000000), 0) AS ku,
		COALESCE(SUM(baseline_nano_usd % 1000000000 - cost_nano_usd % 1000000000), 0) AS kn FROM ` + from[1] + ` GROUP BY 1, 2, 3`
	sums := `SELECT account_id, ` + column + `, value, requests, unpriced, routed_usd, routed_nano, baseline_usd, baseline_nano, saved_usd, saved_nano
		FROM ` + table + ` WHERE dimension = '` + dimension + `'`
	for _, query := range []string{rows + " EXCEPT " + sums, sums + " EXCEPT SELECT * FROM (" + rows + ") r"} {
		require.Zero(t, count(t, s, `SELECT COUNT(*) FROM (`+query+`) d`), query)
	}
}

// requireSums compares the aggregates with the rows.
func requireSums(t *testing.T, s *store.Store) {
	t.Helper()
	requireGroups(t, s)
	for table, step := range map[string]time.Duration{"hourly": time.Hour, "daily": 24 * time.Hour} {
		column := map[string]string{"hourly": "hour", "daily": "day"}[table]
		group := "account_id, " + column + ", key_id, key_name, model, provider, route, outcome, stream"
		rows := fmt.Sprintf(`SELECT account_id, (time_us - (time_us %% %[1]d + %[1]d) %% %[1]d) / %[1]d AS at,
			key_id, key_name, model, provider, route, outcome, stream, COUNT(*) AS requests,
			COUNT(CASE WHEN cost_nano_usd IS NULL OR baseline_nano_usd IS NULL THEN 1 END) AS unpriced,
			COALESCE(SUM(cost_nano_usd / 1000000000), 0) AS ru, COALESCE(SUM(cost_nano_usd %% 1000000000), 0) AS rn,
			COALESCE(SUM(baseline_nano_usd / 1000000000), 0) AS bu, COALESCE(SUM(baseline_nano_usd %% 1000000000), 0) AS bn,
			COALESCE(SUM(baseline_nano_usd / 1000000000 - cost_nano_usd / 1000000000), 0) AS ku,
			COALESCE(SUM(baseline_nano_usd %% 1000000000 - cost_nano_usd %% 1000000000), 0) AS kn,
			SUM(output_tokens) AS tokens, SUM(latency_us) AS latency FROM requests GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9`, step.Microseconds())
		sums := `SELECT ` + group + `, requests, unpriced, routed_usd, routed_nano, baseline_usd, baseline_nano, saved_usd, saved_nano,
			output_tokens, latency_us FROM ` + table
		for _, query := range []string{rows + " EXCEPT " + sums, sums + " EXCEPT SELECT * FROM (" + rows + ") r"} {
			require.Zero(t, count(t, s, `SELECT COUNT(*) FROM (`+query+`) d`), query)
		}
	}
}

// mixed returns records of several groups, some of them damaged.
func mixed(r *rand.Rand, n int) []*record.Record {
	var all []*record.Record
	for i := range n {
		one := storetest.Make(fmt.Sprintf("acc_%d", r.IntN(3)), i)
		one.ID = uuid.Must(uuid.NewV7())
		one.Time = storetest.Base().Add(time.Duration(r.IntN(3*24*3600)) * time.Second)
		one.Model, one.KeyID, one.Stream = fmt.Sprintf("model-%d", r.IntN(4)), fmt.Sprintf("key_%d", r.IntN(2)), r.IntN(2) == 0
		one.Cost, one.BaselineCost = storetest.Nano(r.Int64N(5_000_000_000)), storetest.Nano(r.Int64N(5_000_000_000))
		switch r.IntN(12) {
		case 0:
			one.Cost = nil
		case 1:
			one.BaselineCost = nil
		case 2:
			one.Cost = storetest.Nano(math.MaxInt64)
		case 3:
			one.Time = time.UnixMicro(-1 - r.Int64N(200_000_000_000)) // before 1970
		}
		all = append(all, one)
	}
	return all
}

// TestAggregatesMatchRows repeats batches, overlaps them and duplicates records.
func TestAggregatesMatchRows(t *testing.T) {
	dialects(t, func(t *testing.T, s *store.Store, _ func() *store.Store) {
		all := mixed(rand.New(rand.NewPCG(1, 2)), 300)
		for _, part := range [][]*record.Record{all[:120], all[:120], all[60:200], append(slices.Clone(all[150:]), all[299])} {
			require.NoError(t, s.Insert(t.Context(), record.Batch{Records: part}))
		}
		require.Equal(t, len(all), count(t, s, `SELECT COUNT(*) FROM requests`))
		requireExact(t, s)
	})
}

// TestConcurrentInstances inserts the same records on several instances at once, in
// different batches and orders, as after a consumer was presumed dead.
func TestConcurrentInstances(t *testing.T) {
	dialects(t, func(t *testing.T, s *store.Store, again func() *store.Store) {
		const instances, each = 3, 8
		all := mixed(rand.New(rand.NewPCG(3, 4)), 400)
		var wait sync.WaitGroup
		errs := make([]error, instances)
		for i := range instances {
			mine, r := again(), rand.New(rand.NewPCG(5, uint64(i)))
			// The first insert of an instance creates the partitions, with a short timeout for a lock
			// that on a busy machine another instance may hold.
			require.NoError(t, mine.CreatePartitionsFor(t.Context(), all))
			wait.Go(func() {
				for range each {
					part := slices.Clone(all)
					r.Shuffle(len(part), func(a, b int) { part[a], part[b] = part[b], part[a] })
					committed := map[string][]records.Range{}
					for _, p := range []string{"p", "q", "r"} {
						committed[p] = []records.Range{{First: 1 + r.Uint64N(50), Last: 50 + r.Uint64N(50)}}
					}
					if err := mine.Insert(t.Context(), record.Batch{Records: part[:150], Committed: committed}); err != nil {
						errs[i] = err
					}
				}
				if err := mine.Insert(t.Context(), record.Batch{Records: all}); err != nil {
					errs[i] = err
				}
			})
		}
		wait.Wait()
		require.Equal(t, make([]error, instances), errs)
		require.Equal(t, len(all), count(t, s, `SELECT COUNT(*) FROM requests`))
		requireExact(t, s)
	})
}

// TestDamagedRecordsDoNotBreakAggregates stores numbers that overflow sums and names that
// exceed index limits.
func TestDamagedRecordsDoNotBreakAggregates(t *testing.T) {
	dialects(t, func(t *testing.T, s *store.Store, _ func() *store.Store) {
		for n := range 3 {
			r := storetest.Make("acc", n)
			r.Tokens = record.Tokens{Input: math.MaxInt64, Output: math.MinInt64, Reasoning: -1}
			r.Latency, r.Gateway = math.MaxInt64, math.MinInt64
			r.Cost, r.BaselineCost = storetest.Nano(math.MinInt64), storetest.Nano(math.MaxInt64)
			long := strings.Repeat("\u00e9", 500)
			r.KeyID, r.KeyName, r.Model, r.Provider, r.Error, r.ClientRequestID = long, long, long, long, "x"+long, "theirs"
			require.NoError(t, s.Insert(t.Context(), record.Batch{Records: []*record.Record{r}}))
		}
		for _, table := range []string{"hourly", "daily"} {
			for column, want := range map[string]int{
				"input_tokens": 3_000_000_000_000, "output_tokens": 0, "latency_us": 3_000_000_000_000, "LENGTH(model)": 128, "requests": 3,
			} {
				require.Equal(t, want, count(t, s, `SELECT `+column+` FROM `+table), table+" "+column)
			}
		}
		require.Equal(t, 250, count(t, s, `SELECT MAX(LENGTH(error)) FROM requests
			WHERE client_request_id = 'theirs' AND cost_basis = 'final'`))
	})
}

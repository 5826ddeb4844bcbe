package store_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/services/dashboard/internal/record"
	"github.com/signalbox/signalbox/services/dashboard/internal/store"
	"github.com/signalbox/signalbox/services/dashboard/internal/store/storetest"
)

// ingestTimeout is how long the ingest waits for an insert.
const ingestTimeout = 10 * time.Second

func TestDefaultTimeoutsFitTogether(t *testing.T) {
	d := store.OrDefaults(store.Timeouts{})
	require.Less(t, d.Search, d.Read, "a slow search returns a partial page")
	require.Less(t, 5*d.Window, d.Read, "a window of an hour is narrowed four times")
	require.Positive(t, d.Window)
	require.Less(t, d.Facets+d.FacetsRetry, time.Second)
	require.Positive(t, min(d.Facets, d.FacetsRetry))
	require.Less(t, d.Lock, d.Statement)
	require.Less(t, d.Statement, ingestTimeout)
	require.Positive(t, d.Lock, "Postgres takes 0 as no limit")
	require.Equal(t, time.Minute, store.OrDefaults(store.Timeouts{Read: time.Minute}).Read)
	long := storetest.LongTimeouts()
	require.Equal(t, long, store.OrDefaults(long), "no field has its default")
}

func TestPostgresKnowsTheTimeoutOfReads(t *testing.T) {
	for want, timeouts := range map[int]store.Timeouts{5000: {}, 70_000: {Read: 70 * time.Second}} {
		s, err := store.OpenConfig(t.Context(), store.Config{URL: migrated.Postgres(t), Timeouts: timeouts})
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, s.Close()) })
		limit, err := s.Count(t.Context(), `SELECT setting FROM pg_settings WHERE name = 'statement_timeout'`)
		require.NoError(t, err)
		require.Equal(t, want, limit)
	}
}

// Values that cannot be counted in time are listed without their counts, and with a second limit.
func TestFacetsAreNotCountedAfterTheirTimeout(t *testing.T) {
	for name, url := range map[string]func(testing.TB) string{"sqlite": migrated.SQLite, "postgres": migrated.Postgres} {
		t.Run(name, func(t *testing.T) {
			values := func(limit, retry time.Duration) record.Facets {
				timeouts := storetest.LongTimeouts()
				timeouts.Facets, timeouts.FacetsRetry = limit, retry
				s, err := store.OpenConfig(t.Context(), store.Config{URL: url(t), Timeouts: timeouts})
				require.NoError(t, err)
				t.Cleanup(func() { require.NoError(t, s.Close()) })
				require.NoError(t, s.Insert(t.Context(), record.Batch{Records: []*record.Record{now(1), now(2)}}))
				found, err := s.Facets(t.Context(), record.NewFacetQuery(record.Query{Account: "acc"}, record.ByModel, "", 10))
				require.NoError(t, err)
				return found
			}
			require.Equal(t, []record.Facet{{Value: "small", Requests: 2}}, values(time.Minute, time.Minute).Values)
			require.Equal(t, []record.Facet{{Value: "small"}}, values(1, time.Minute).Values)
			require.Equal(t, record.Facets{Sampled: true}, values(1, 1))
		})
	}
}

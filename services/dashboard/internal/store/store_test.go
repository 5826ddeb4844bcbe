package store_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/records"
	"github.com/signalbox/signalbox/pkg/testkit/testenv"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
	"github.com/signalbox/signalbox/services/dashboard/internal/store"
	"github.com/signalbox/signalbox/services/dashboard/internal/store/storetest"
)

func TestMain(m *testing.M) { testenv.Main(m) }

// migrated has the tables of the newest version.
var migrated = testenv.Template{Prepare: func(url string) error {
	s, err := store.Open(context.Background(), url)
	if err != nil {
		return err
	}
	return s.Close()
}}

func TestSQLite(t *testing.T) {
	storetest.Run(t, func(t *testing.T) *store.Store { return storetest.Open(t, migrated.SQLite(t)) })
}

func TestPostgres(t *testing.T) {
	storetest.Run(t, func(t *testing.T) *store.Store { return storetest.Open(t, migrated.Postgres(t)) })
}

func TestAdjacentRangesBecomeOne(t *testing.T) {
	s := storetest.Open(t, migrated.SQLite(t))
	for _, r := range []records.Range{{First: 4, Last: 6}, {First: 1, Last: 3}, {First: 7, Last: 7}, {First: 9, Last: 9}} {
		require.NoError(t, s.Insert(t.Context(), record.Batch{Committed: map[string][]records.Range{"p": {r}}}))
	}
	n, err := s.Count(t.Context(), `SELECT COUNT(*) FROM committed`)
	require.NoError(t, err)
	require.Equal(t, 2, n)
}

func now(n int) *record.Record {
	r := storetest.Make("acc", n)
	at := time.Now().UTC().Truncate(time.Millisecond)
	r.ID, r.Time = storetest.ID(at, n), at.Add(time.Duration(n)*time.Microsecond)
	return r
}

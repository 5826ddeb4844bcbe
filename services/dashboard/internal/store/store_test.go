package store_test

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/records"
	"github.com/signalbox/signalbox/pkg/sqldb"
	"github.com/signalbox/signalbox/pkg/testenv"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
	"github.com/signalbox/signalbox/services/dashboard/internal/store"
	"github.com/signalbox/signalbox/services/dashboard/internal/store/storetest"
)

func TestMain(m *testing.M) { testenv.Main(m) }

func TestSQLite(t *testing.T) {
	storetest.Run(t, func(t *testing.T) *store.Store {
		return open(t, sqldb.SQLiteURL(filepath.Join(t.TempDir(), "records.db")))
	})
}

func TestPostgres(t *testing.T) {
	storetest.Run(t, func(t *testing.T) *store.Store { return open(t, testenv.Postgres(t)) })
}

func TestAdjacentRangesBecomeOne(t *testing.T) {
	s := open(t, sqldb.SQLiteURL(filepath.Join(t.TempDir(), "records.db")))
	for _, r := range []records.Range{{First: 4, Last: 6}, {First: 1, Last: 3}, {First: 7, Last: 7}, {First: 9, Last: 9}} {
		require.NoError(t, s.Insert(t.Context(), record.Batch{Committed: map[string][]records.Range{"p": {r}}}))
	}
	n, err := s.Count(t.Context(), `SELECT COUNT(*) FROM committed`)
	require.NoError(t, err)
	require.Equal(t, 2, n)
}

// TestPartitions holds that today and tomorrow have a partition, and that a
// day whose rows are in the default one does not stop the ledger.
func TestPartitions(t *testing.T) {
	url := testenv.Postgres(t)
	s := open(t, url)
	today := "requests_" + time.Now().UTC().Format("20060102")
	require.NoError(t, s.Insert(t.Context(), record.Batch{Records: []*record.Record{now(1)}}))
	for table, want := range map[string]int{
		today: 1, "requests_default": 0, "requests_" + time.Now().UTC().AddDate(0, 0, 1).Format("20060102"): 0,
	} {
		n, err := s.Count(t.Context(), `SELECT COUNT(*) FROM `+table)
		require.NoError(t, err)
		require.Equal(t, want, n, table)
	}
	for _, statement := range []string{
		`CREATE TABLE kept AS SELECT * FROM ` + today, `DROP TABLE ` + today, `INSERT INTO requests SELECT * FROM kept`,
	} {
		require.NoError(t, s.Exec(t.Context(), statement))
	}
	again := open(t, url)
	require.NoError(t, again.Insert(t.Context(), record.Batch{Records: []*record.Record{now(2)}}))
	n, err := again.Count(t.Context(), `SELECT COUNT(*) FROM requests_default`)
	require.NoError(t, err)
	require.Equal(t, 2, n)
}

func now(n int) *record.Record {
	r := storetest.Make("acc", n)
	r.ID = storetest.ID(time.Now(), n)
	return r
}

func open(t *testing.T, url string) *store.Store {
	t.Helper()
	s, err := store.Open(t.Context(), url)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

package store_test

import (
	"path/filepath"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/sqldb"
	"github.com/signalbox/signalbox/pkg/testenv"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
	"github.com/signalbox/signalbox/services/dashboard/internal/store"
	"github.com/signalbox/signalbox/services/dashboard/internal/store/storetest"
)

func BenchmarkInsertSQLite(b *testing.B) {
	benchmarkInsert(b, sqldb.SQLiteURL(filepath.Join(b.TempDir(), "records.db")))
}

func BenchmarkInsertPostgres(b *testing.B) { benchmarkInsert(b, testenv.Postgres(b)) }

// benchmarkInsert prints how many records a second the ledger takes in batches
// of the size that spools send.
func benchmarkInsert(b *testing.B, url string) {
	s, err := store.Open(b.Context(), url)
	require.NoError(b, err)
	defer func() { require.NoError(b, s.Close()) }()
	const size = 200
	for b.Loop() {
		var batch record.Batch
		for n := range size {
			r := storetest.Make("acc", n)
			r.ID = uuid.Must(uuid.NewV7())
			batch.Records = append(batch.Records, r)
		}
		require.NoError(b, s.Insert(b.Context(), batch))
	}
	b.ReportMetric(float64(b.N*size)/b.Elapsed().Seconds(), "records/s")
}

package store_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/services/dashboard/internal/store"
)

// printRetention stores one more day before the ledger, with as many requests as its other days,
// and prints how long it takes to delete it. So the ledger itself stays complete.
func (l ledger) printRetention(b *testing.B, s *store.Store) {
	day := l.start.Truncate(24*time.Hour).AddDate(0, 0, -2)
	rows, began := l.rows/fillDays/ingestBatch*ingestBatch, time.Now()
	for n := 0; n < rows; n += ingestBatch {
		batch := l.newBatch(1<<50+n, day.Add(time.Duration(n)*(24*time.Hour/time.Duration(rows))))
		for i := 0; i < len(batch.Records); i += 10 {
			batch.Records[i].Content = chat(batch.Records[i].ID.String())
		}
		require.NoError(b, s.Insert(b.Context(), batch))
	}
	filled := time.Since(began)
	partition := fmt.Sprintf("requests_%s", day.Format("20060102"))
	stored, err := s.Count(b.Context(), `SELECT COUNT(*) FROM `+partition)
	require.NoError(b, err)
	require.Equal(b, rows, stored)
	began = time.Now()
	require.NoError(b, s.DropRequests(b.Context(), day.AddDate(0, 0, 1)))
	fmt.Printf("retention: a day of %d requests, stored in %s, deleted in %s ms\n", rows, filled.Round(time.Second/10), millis(time.Since(began)))
	left, err := s.Count(b.Context(), `SELECT COUNT(*) FROM pg_class WHERE relname = '`+partition+`'`)
	require.NoError(b, err)
	require.Zero(b, left)
}

package store_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/services/dashboard/internal/record"
	"github.com/signalbox/signalbox/services/dashboard/internal/store"
	"github.com/signalbox/signalbox/services/dashboard/internal/store/storetest"
)

// A filter with more matches than are sorted in memory gives the same pages as one with few.
func TestManyMatchesAreReadInTheirOrder(t *testing.T) {
	for name, url := range map[string]string{"sqlite": migrated.SQLite(t), "postgres": migrated.Postgres(t)} {
		t.Run(name, func(t *testing.T) {
			s := storetest.Open(t, url)
			var batch record.Batch
			for n := range 300 {
				r := storetest.Make("acc", n)
				r.Latency, r.Code = int64(n*7919%100), []string{"", "CODE"}[n%2]
				batch.Records = append(batch.Records, r)
			}
			require.NoError(t, s.Insert(t.Context(), batch))
			for _, text := range []string{"key:prod", "code:CODE", "code:CODE key:prod"} {
				few := sortedIDs(t, s, text, record.ByLatency)
				s.SetMaxSorted(20)
				require.Equal(t, few, sortedIDs(t, s, text, record.ByLatency), text)
				s.SetMaxSorted(10_000)
				require.Len(t, few, map[bool]int{true: 300, false: 150}[text == "key:prod"], text)
			}
		})
	}
}

// sortedIDs reads all pages of a filter, sorted by a field.
func sortedIDs(t *testing.T, s *store.Store, text string, by record.Field) (ids []string) {
	terms, err := record.ParseFilter(text)
	require.NoError(t, err)
	q := record.Query{Account: "acc", Terms: terms, Sort: record.Sort{By: by}}
	for cursor := (*record.Cursor)(nil); ; {
		page, err := s.Page(t.Context(), q, cursor, 40)
		require.NoError(t, err)
		for i := range page.Items {
			ids = append(ids, page.Items[i].ID.String())
		}
		if cursor = page.Next; cursor == nil {
			return ids
		}
	}
}

package store_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/services/dashboard/internal/store"
)

// relationSizes returns the bytes of the tables whose names begin with one of the prefixes: of their
// rows, of their indexes, and of values that are too long for a row.
const relationSizes = `SELECT COALESCE(SUM(%s), 0) FROM pg_class
	WHERE relkind = 'r' AND relnamespace = CAST('dashboard' AS regnamespace) AND relname ~ '^(%s)'`

// sizeGroups are the tables of the ledger. The sums are all tables but requests and content.
var sizeGroups = []struct{ name, tables string }{
	{"requests", "requests_"},
	{"sums", "(hourly|daily|group_daily|group_hourly|sessions|label|evidence|quality_daily|rollout|feed|committed)"},
}

// printSizes prints how many bytes a request without content takes in the filled ledger.
func (l ledger) printSizes(b *testing.B, s *store.Store) {
	requests, err := s.Count(b.Context(), `SELECT COUNT(*) FROM requests`)
	require.NoError(b, err)
	fmt.Printf("%-24s %12s %12s %12s\n", "bytes per request", "rows", "indexes", "all")
	for _, g := range sizeGroups {
		rows := bytesOf(b, s, "pg_table_size(oid)", g.tables)
		indexes := bytesOf(b, s, "pg_indexes_size(oid)", g.tables)
		fmt.Printf("%-24s %12.0f %12.0f %12.0f\n", g.name, rows/float64(requests), indexes/float64(requests), (rows+indexes)/float64(requests))
	}
}

func bytesOf(b *testing.B, s *store.Store, size, tables string) float64 {
	n, err := s.Count(b.Context(), fmt.Sprintf(relationSizes, size, tables))
	require.NoError(b, err)
	return float64(n)
}

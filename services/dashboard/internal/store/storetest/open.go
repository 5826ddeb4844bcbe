package storetest

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/services/dashboard/internal/store"
)

// LongTimeouts returns timeouts that a busy machine does not exceed.
func LongTimeouts() store.Timeouts {
	const long = time.Minute
	return store.Timeouts{Read: 2 * long, Search: long, Window: long, Facets: long, FacetsRetry: long, Lock: long, Statement: long}
}

// Open opens a ledger with long timeouts until the test ends.
func Open(t *testing.T, url string) *store.Store {
	t.Helper()
	s, err := store.OpenConfig(t.Context(), store.Config{URL: url, Timeouts: LongTimeouts()})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

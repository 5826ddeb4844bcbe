package storetest

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/services/dashboard/internal/store"
)

// Open opens a ledger until the test ends. Its timeouts are long, because a busy machine exceeds the
// defaults.
func Open(t *testing.T, url string) *store.Store {
	t.Helper()
	s, err := store.OpenWith(t.Context(), store.Config{URL: url, Timeouts: store.SameTimeouts(time.Minute)})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

package store_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/services/dashboard/internal/store"
)

// dropAlerts undoes the migration of alerts, except for its number.
func dropAlerts(t *testing.T, s *store.Store) {
	t.Helper()
	for _, table := range []string{"alert_channels", "alert_rules", "alert_states", "alert_events", "alert_deliveries", "alert_clock"} {
		require.NoError(t, s.Exec(t.Context(), "DROP TABLE "+table))
	}
}

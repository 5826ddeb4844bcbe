package upkeep

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Retention is counted in days of 24 hours, wherever the dashboard runs. In New York the
// clocks went forward on 8 March 2026, and back on 1 November.
func TestRetentionDoesNotDependOnTheTimeZone(t *testing.T) {
	zone, err := time.LoadLocation("America/New_York")
	require.NoError(t, err)
	for _, now := range []time.Time{
		time.Date(2026, 3, 8, 23, 30, 0, 0, time.UTC), time.Date(2026, 11, 2, 0, 30, 0, 0, time.UTC), time.Date(2026, 3, 31, 12, 0, 0, 0, time.UTC),
	} {
		u := &Upkeep{Now: func() time.Time { return now.In(zone) }}
		for _, days := range []int{1, 30, 365} {
			require.Equal(t, now.Add(-time.Duration(days)*24*time.Hour), u.daysAgo(days), now)
		}
	}
}

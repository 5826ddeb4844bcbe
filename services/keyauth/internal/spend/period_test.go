package spend

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// notices applies a report at a time and counts the notices.
func notices(t *testing.T, at time.Time, day Period, budgets map[Owner]Budget) (n int) {
	t.Helper()
	err := Apply(t.Context(), memory{}, at, map[SumKey]int64{{"acc", "key", day}: 100}, budgets, func(context.Context, Crossing) error {
		n++
		return nil
	})
	require.NoError(t, err)
	return n
}

// The last spend of a day or a month may arrive in the first hour after its end. Later it
// causes no notice. Days are UTC days, also for a clock in another zone.
func TestLateSpendCausesNoticesForAnHour(t *testing.T) {
	day, month := map[Owner]Budget{key: {NanoUSDPerDay: 100}, whole: {}}, map[Owner]Budget{key: {NanoUSDPerMonth: 100}, whole: {}}
	east := time.FixedZone("", 14*3600)
	midnight := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	for _, at := range []time.Time{midnight.Add(-time.Minute), midnight, midnight.Add(59 * time.Minute), midnight.Add(59 * time.Minute).In(east)} {
		require.Equal(t, 2, notices(t, at, "2026-10-31", day), at)
		require.Equal(t, 2, notices(t, at, "2026-10-31", month), at)
	}
	late := midnight.Add(time.Hour)
	require.Zero(t, notices(t, late, "2026-10-31", day))
	require.Zero(t, notices(t, late, "2026-10-31", month))
	require.Equal(t, 2, notices(t, late, "2026-11-01", day))
}

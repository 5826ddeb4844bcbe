package e2e

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// awaitLongDay waits for midnight if less than a while of the day is left. Budgets and the shown spend are
// of a day of UTC and begin at 0 at midnight, so a test that spends must not run across it.
func awaitLongDay(t *testing.T, while time.Duration) {
	t.Helper()
	if wait := untilLongDay(time.Now(), while); wait > 0 {
		t.Logf("waits %s for the next day", wait)
		<-time.After(wait)
	}
}

// untilLongDay returns how long to wait until at least a while of the day is left.
func untilLongDay(now time.Time, while time.Duration) time.Duration {
	const day = 24 * time.Hour
	left := now.UTC().Truncate(day).Add(day).Sub(now)
	if left > while {
		return 0
	}
	return left
}

func TestUntilLongDay(t *testing.T) {
	at := func(clock string) time.Time {
		now, err := time.Parse(time.RFC3339, "2026-11-19T"+clock)
		require.NoError(t, err)
		return now
	}
	for clock, want := range map[string]time.Duration{
		"00:00:00Z": 0, "12:00:00Z": 0, "23:57:59Z": 0,
		"23:58:00Z": 2 * time.Minute, "23:59:59Z": time.Second, "13:59:30+14:00": 30 * time.Second, "23:59:59+14:00": 0,
	} {
		require.Equal(t, want, untilLongDay(at(clock), 2*time.Minute), clock)
	}
}

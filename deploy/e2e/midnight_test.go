package e2e

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// avoidMidnight waits for midnight UTC if a test that takes this long would run across it. Budgets of a
// day and the shown spend of a day begin at 0 then.
func avoidMidnight(t *testing.T, takes time.Duration) {
	t.Helper()
	if wait := midnightWithin(time.Now(), takes); wait > 0 {
		t.Logf("waits %s for the next day", wait)
		<-time.After(wait)
	}
}

// midnightWithin returns the time until midnight UTC, or 0 if that is longer than d.
func midnightWithin(now time.Time, d time.Duration) time.Duration {
	const day = 24 * time.Hour
	left := now.UTC().Truncate(day).Add(day).Sub(now)
	if left > d {
		return 0
	}
	return left
}

func TestMidnightWithin(t *testing.T) {
	at := func(clock string) time.Time {
		now, err := time.Parse(time.RFC3339, "2026-11-19T"+clock)
		require.NoError(t, err)
		return now
	}
	for clock, want := range map[string]time.Duration{
		"00:00:00Z": 0, "12:00:00Z": 0, "23:57:59Z": 0,
		"23:58:00Z": 2 * time.Minute, "23:59:59Z": time.Second, "13:59:30+14:00": 30 * time.Second, "23:59:59+14:00": 0,
	} {
		require.Equal(t, want, midnightWithin(at(clock), 2*time.Minute), clock)
	}
}

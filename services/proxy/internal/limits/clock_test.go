package limits_test

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/services/proxy/internal/limits"
)

// The clock was an hour ahead when the limit state was saved. A rate limit is a minute
// behind at most, so no request waits for an hour.
func TestAClockThatWasAheadDelaysNothingForLongerThanAMinute(t *testing.T) {
	path := filepath.Join(t.TempDir(), "limits.json")
	synctest.Test(t, func(t *testing.T) {
		later := time.Now().Add(time.Hour).UTC().Format(time.RFC3339)
		saved := strings.ReplaceAll(`[{"account_id":"acme","key_id":"prod","requests":"AT","tokens":"AT"}]`, "AT", later)
		require.NoError(t, os.WriteFile(path, []byte(saved), 0o600))
		k, _ := run(t, limits.Deps{Path: path})
		c := key(limits.Set{RequestsPerMinute: 10, TokensPerMinute: 100})
		require.Zero(t, admit(t, k, c, 1), "the limit was used up")
		wait(time.Minute)
		p := enter(t, k, c)
		require.NoError(t, p.Reserve(t.Context(), 100, 0))
		p.Release()
		require.Equal(t, 9, admit(t, k, c, 20))
	})
}

// The limit state replaces the earlier one as a whole. A process that dies while it
// writes leaves the earlier file.
func TestTheSavedStateIsReplacedAsAWhole(t *testing.T) {
	path := filepath.Join(t.TempDir(), "limits.json")
	c := key(limits.Set{NanoUSDPerDay: 100})
	k, stop := run(t, limits.Deps{Path: path})
	require.NoError(t, spend(t, k, c, 1, 10))
	stop()
	before, err := os.ReadFile(path)
	require.NoError(t, err)
	file, err := os.Open(path)
	require.NoError(t, err)
	defer func() { _ = file.Close() }()

	k, stop = run(t, limits.Deps{Path: path})
	require.NoError(t, spend(t, k, c, 1, 20))
	stop()
	after, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NotEqual(t, before, after)
	kept, err := io.ReadAll(file)
	require.NoError(t, err)
	require.Equal(t, before, kept, "the file was overwritten in place")
}

// A clock that is set back over midnight returns to the budget of the earlier day, with
// what was spent of it.
func TestAClockThatIsSetBackFindsTheSpendOfTheEarlierDay(t *testing.T) {
	now := time.Date(2026, 10, 31, 23, 59, 0, 0, time.UTC)
	k, err := limits.New(limits.Deps{Now: func() time.Time { return now }})
	require.NoError(t, err)
	c := key(limits.Set{NanoUSDPerDay: 100, NanoUSDPerMonth: 200})
	require.NoError(t, spend(t, k, c, 1, 90))
	now = now.Add(2 * time.Minute)
	require.Zero(t, *enter(t, k, c).BudgetUsed(), "a new day and a new month")
	now = now.Add(-2 * time.Minute)
	require.Equal(t, int64(900), *enter(t, k, c).BudgetUsed())
}

// Reports of stored spend may arrive late. The report of yesterday does not replace that
// of today.
func TestALateReportDoesNotReplaceTheSpendOfToday(t *testing.T) {
	now := time.Date(2026, 11, 1, 0, 5, 0, 0, time.UTC)
	k, err := limits.New(limits.Deps{Now: func() time.Time { return now }})
	require.NoError(t, err)
	k.SetStoredSpend("acme", "prod", "2026-11-01", 50, 50)
	k.SetStoredSpend("acme", "prod", "2026-10-31", 90, 900)
	p := enter(t, k, key(limits.Set{NanoUSDPerDay: 100, NanoUSDPerMonth: 100}))
	require.Equal(t, int64(500), *p.BudgetUsed())
}

// What was spent since the last save is saved when the process stops.
func TestTheLastSpendIsSavedAtTheStop(t *testing.T) {
	path := filepath.Join(t.TempDir(), "limits.json")
	synctest.Test(t, func(t *testing.T) {
		c := key(limits.Set{NanoUSDPerDay: 100})
		k, stop := run(t, limits.Deps{Path: path})
		wait(1500 * time.Millisecond) // between two saves
		require.NoError(t, spend(t, k, c, 1, 70))
		stop()
		k, _ = run(t, limits.Deps{Path: path})
		require.Equal(t, int64(700), *enter(t, k, c).BudgetUsed())
	})
}

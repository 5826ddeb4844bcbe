package limits_test

import (
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/services/proxy/internal/limits"
)

func TestFiguresOutliveARestart(t *testing.T) {
	path := filepath.Join(t.TempDir(), "limits.json")
	synctest.Test(t, func(t *testing.T) {
		c := key(limits.Set{RequestsPerMinute: 10, TokensPerMinute: 100, NanoUSDPerDay: 100, NanoUSDPerMonth: 1000})
		c.Account = limits.Set{NanoUSDPerMonth: 200}
		k, stop := run(t, limits.Deps{Path: path})
		p := enter(t, k, c)
		require.NoError(t, p.Reserve(t.Context(), 60, 50))
		p.Settle(60, 90)
		p.Release()
		require.Equal(t, 9, admit(t, k, c, 20))
		stop()
		wait(6 * time.Second)

		k, stop = run(t, limits.Deps{Path: path})
		p = enter(t, k, c)
		require.Equal(t, int64(900), *p.BudgetUsed())
		err := p.Reserve(t.Context(), 51, 10)
		refused(t, err, apperr.RateLimitExceeded, "key", tokens)
		require.NoError(t, p.Reserve(t.Context(), 50, 10))
		require.Zero(t, admit(t, k, c, 5), "six seconds have brought back one")
		p.Release()
		stop()

		wait(24 * time.Hour)
		k, _ = run(t, limits.Deps{Path: path})
		require.Equal(t, int64(450), *enter(t, k, c).BudgetUsed(), "the month goes on")
	})
}

func TestFiguresAreKeptEverySecond(t *testing.T) {
	path := filepath.Join(t.TempDir(), "limits.json")
	synctest.Test(t, func(t *testing.T) {
		k, _ := run(t, limits.Deps{Path: path})
		require.NoError(t, spend(t, k, key(limits.Set{NanoUSDPerDay: 100}), 1, 70))
		wait(1100 * time.Millisecond)
		crashed, err := limits.New(limits.Deps{Path: path})
		require.NoError(t, err)
		require.Equal(t, int64(700), *enter(t, crashed, key(limits.Set{NanoUSDPerDay: 100})).BudgetUsed())
		require.NoError(t, os.Remove(path))
		wait(5 * time.Second)
		require.NoFileExists(t, path, "nothing has changed")
	})
}

func TestAFileThatCannotBeReadIsDoneWithout(t *testing.T) {
	path := filepath.Join(t.TempDir(), "limits.json")
	require.NoError(t, os.WriteFile(path, []byte(`[{"account_id":"acme",`), 0o600))
	k, stop := run(t, limits.Deps{Path: path})
	require.NoError(t, spend(t, k, key(limits.Set{NanoUSDPerDay: 100}), 1, 70))
	stop()
	again, err := limits.New(limits.Deps{Path: path})
	require.NoError(t, err)
	require.Equal(t, int64(700), *enter(t, again, key(limits.Set{NanoUSDPerDay: 100})).BudgetUsed())
}

func TestSharedCountersHaveNoFile(t *testing.T) {
	_, err := limits.New(limits.Deps{Path: "limits.json", Counters: shared(t, "redis://127.0.0.1:1")})
	require.Error(t, err)
}

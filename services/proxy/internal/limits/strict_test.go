package limits_test

import (
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/testkit/testenv"
	"github.com/signalbox/signalbox/services/proxy/internal/limits"
)

// strict is a caller with a hard daily budget.
func strict(nanoUSD int64) *limits.Caller {
	return &limits.Caller{AccountID: "experiment", Account: limits.Set{NanoUSDPerDay: nanoUSD}, Strict: true}
}

func TestAStrictReservationSurvivesACrash(t *testing.T) {
	path := filepath.Join(t.TempDir(), "limits.json")
	k, err := limits.New(limits.Deps{Path: path})
	require.NoError(t, err)
	require.NoError(t, enter(t, k, strict(100)).Reserve(t.Context(), 0, 60), "the process dies before it settles")

	again, err := limits.New(limits.Deps{Path: path})
	require.NoError(t, err)
	p := enter(t, again, strict(100))
	refused(t, p.Reserve(t.Context(), 0, 41), apperr.BudgetExceeded, "account", daily)
	require.NoError(t, p.Reserve(t.Context(), 0, 40))
}

func TestAStrictReservationOfADeadProxyLastsAllDay(t *testing.T) {
	server := redis(t)
	dead, err := limits.New(limits.Deps{Counters: shared(t, server.URL), CounterTimeout: defaultCounterTimeout})
	require.NoError(t, err)
	require.NoError(t, enter(t, dead, strict(100)).Reserve(t.Context(), 0, 60))

	alive := proxies(t, server.URL, 1)[0]
	p := enter(t, alive, strict(100))
	refused(t, p.Reserve(t.Context(), 0, 41), apperr.BudgetExceeded, "account", daily)
	redisClient := raw(t, server.URL)
	keys, err := redisClient.Keys(t.Context(), "*experiment*").Result()
	require.NoError(t, err)
	require.Len(t, keys, 1)
	fields, err := redisClient.HGetAll(t.Context(), keys[0]).Result()
	require.NoError(t, err)
	for name, value := range fields {
		if strings.HasPrefix(name, "h:") {
			expiry, err := strconv.ParseInt(strings.Split(value, ":")[1], 10, 64)
			require.NoError(t, err)
			require.Greater(t, time.Until(time.UnixMilli(expiry)), 48*time.Hour, "the dead proxy may have spent it")
		}
	}
}

// durableRedis starts a server that keeps its data when it is killed, and restarts it then.
func durableRedis(t *testing.T) *testenv.Server {
	t.Helper()
	server, err := testenv.StartRedis("--appendonly", "yes", "--appendfsync", "always")
	require.NoError(t, err)
	t.Cleanup(server.Stop)
	server.KeepRunning()
	return server
}

func TestAStrictBudgetStopsWithoutTheCounters(t *testing.T) {
	t.Parallel()
	server := durableRedis(t)
	k := proxies(t, server.URL, 1)[0]
	p := enter(t, k, strict(1000))
	require.NoError(t, p.Reserve(t.Context(), 0, 1))
	end := server.Down()
	require.Eventually(t, k.IsDegraded, eventually, often)
	refused(t, p.Reserve(t.Context(), 0, 1), apperr.BudgetExceeded, "account", daily)
	require.NoError(t, enter(t, k, key(limits.Set{NanoUSDPerDay: 1000})).Reserve(t.Context(), 0, 1), "clients are served from the share")
	end()
	require.Eventually(t, func() bool { return p.Reserve(t.Context(), 0, 1) == nil }, eventually, often)
}

// Fifty concurrent requests on two proxies never reserve more than the budget, also while
// one of them dies with what it has reserved and Redis goes away and comes back.
func TestAStrictBudgetHoldsForACrowd(t *testing.T) {
	t.Parallel()
	server := durableRedis(t)
	ks := proxies(t, server.URL, 2)
	doomed, err := limits.New(limits.Deps{Counters: shared(t, server.URL), CounterTimeout: defaultCounterTimeout})
	require.NoError(t, err)
	const limit = 10_000
	var spent atomic.Int64
	lost := enter(t, doomed, strict(limit))
	require.NoError(t, lost.Reserve(t.Context(), 0, 1000))
	spent.Add(1000) // the provider has charged it, although the proxy is dead

	send := func(k *limits.Limiter) {
		p, err := k.Admit(t.Context(), strict(limit))
		if err != nil {
			return
		}
		defer p.Release()
		if p.Reserve(t.Context(), 0, 100) == nil {
			spent.Add(70)
			p.Settle(0, 70)
		}
	}
	crowd(ks, 1, send)
	end := server.Down()
	crowd(ks, 2, send)
	end()
	back(t, ks)
	require.Eventually(t, func() bool {
		before := spent.Load()
		crowd(ks, 1, send)
		require.LessOrEqual(t, spent.Load(), int64(limit))
		return spent.Load() == before && before > limit*8/10
	}, 3*eventually, often)
}

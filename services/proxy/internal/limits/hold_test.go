package limits_test

import (
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	client "github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/services/proxy/internal/limits"
)

// held returns the largest hold of the counter whose name contains part: its field,
// amount and remaining lifetime.
func held(t *testing.T, r *client.Client, part string) (key, field string, amount int64, lasts time.Duration) {
	t.Helper()
	keys, err := r.Keys(t.Context(), "*"+part+"*").Result()
	require.NoError(t, err)
	require.Len(t, keys, 1)
	all, err := r.HGetAll(t.Context(), keys[0]).Result()
	require.NoError(t, err)
	now, err := r.Time(t.Context()).Result()
	require.NoError(t, err)
	for name, value := range all {
		if !strings.HasPrefix(name, "h:") {
			continue
		}
		var holds, till, number int64
		_, err := fmt.Sscanf(value, "%d:%d:%d", &holds, &till, &number)
		require.NoError(t, err)
		if field == "" || holds > amount {
			field, amount, lasts = name, holds, time.UnixMilli(till).Sub(now)
		}
	}
	require.NotEmpty(t, field, "nothing is held")
	return keys[0], field, amount, lasts
}

func TestADeadProxysHoldsEnd(t *testing.T) {
	t.Parallel()
	server := redis(t)
	r := raw(t, server.URL)
	dead, err := limits.New(limits.Deps{Counters: shared(t, server.URL), CounterTimeout: defaultCounterTimeout})
	require.NoError(t, err)
	c := key(limits.Set{Concurrent: 1, NanoUSDPerDay: 1000})
	p := enter(t, dead, c)
	require.NoError(t, p.Reserve(t.Context(), 0, 900))

	alive := proxies(t, server.URL, 1)[0]
	_, err = alive.Admit(t.Context(), c)
	refused(t, err, apperr.ConcurrencyLimitExceeded, "key", places)
	for part, longest := range map[string]time.Duration{"concurrent": 10 * time.Second, "day": time.Minute} {
		name, field, amount, lasts := held(t, r, part)
		require.Positive(t, amount)
		require.LessOrEqual(t, lasts, longest)
		// The clock of Redis cannot be advanced, but the expiry can be moved back.
		require.NoError(t, r.HSet(t.Context(), name, field, fmt.Sprintf("%d:1:1", amount)).Err())
	}
	require.Eventually(t, func() bool {
		p, err := alive.Admit(t.Context(), c)
		return err == nil && p.Reserve(t.Context(), 0, 900) == nil
	}, eventually, often)
}

func TestARunningRequestKeepsItsHolds(t *testing.T) {
	t.Parallel()
	server := redis(t)
	r := raw(t, server.URL)
	k := proxies(t, server.URL, 1)[0]
	p := enter(t, k, key(limits.Set{Concurrent: 5}))
	_, _, _, lasts := held(t, r, "concurrent")
	require.Eventually(t, func() bool {
		_, _, amount, now := held(t, r, "concurrent")
		require.Equal(t, int64(1), amount)
		renewed := now > lasts
		lasts = now
		return renewed
	}, eventually, often)
	p.Release()
	require.Eventually(t, func() bool {
		_, _, amount, _ := held(t, r, "concurrent")
		return amount == 0
	}, eventually, often, "the place is given back without a request")
}

func TestUnusedUnitsAndMoneyGoBackByThemselves(t *testing.T) {
	t.Parallel()
	server := redis(t)
	ks := proxies(t, server.URL, 2)
	c := key(limits.Set{RequestsPerMinute: 20_000, TokensPerMinute: 1000, NanoUSDPerDay: 10_000_000})
	r, spent := raw(t, server.URL), int64(0)
	require.Eventually(t, func() bool {
		for range 100 { // a pause of a second gives the spare back, so a slow machine tries again
			require.NoError(t, spend(t, ks[0], c, 1000, 1000))
			spent += 1000
		}
		_, _, amount, _ := held(t, r, "day")
		return amount > 0
	}, eventually, often, "a spare is held while there is traffic")
	p := enter(t, ks[0], c)
	require.NoError(t, p.Reserve(t.Context(), 1000, 1))
	p.Settle(0, 1)
	p.Release()
	require.Eventually(t, func() bool {
		q := enter(t, ks[1], c)
		defer q.Release()
		return q.Reserve(t.Context(), 950, 10_000_000-spent-1) == nil
	}, eventually, often)
}

func TestNobodyWaitsForAHungRedisTwice(t *testing.T) {
	t.Parallel()
	server := redis(t)
	counters := shared(t, server.URL)
	k, _ := run(t, limits.Deps{Counters: counters})
	c := key(limits.Set{RequestsPerMinute: 10_000, Concurrent: 1000, NanoUSDPerDay: 1e9})
	require.NoError(t, syscall.Kill(server.PID(), syscall.SIGSTOP))
	defer func() { _ = syscall.Kill(server.PID(), syscall.SIGCONT) }()
	require.NoError(t, spend(t, k, c, 1, 1))
	require.True(t, k.IsDegraded())
	before := counters.RoundTrips()
	for range 1000 {
		require.NoError(t, spend(t, k, c, 1, 1))
	}
	require.LessOrEqual(t, counters.RoundTrips(), before+5, "only Run tries it")
}

func TestARefusalIsNotAskedForAgainAtOnce(t *testing.T) {
	t.Parallel()
	server := redis(t)
	counters := shared(t, server.URL)
	k, err := limits.New(limits.Deps{Counters: counters, CounterTimeout: defaultCounterTimeout})
	require.NoError(t, err)
	c := key(limits.Set{RequestsPerMinute: 10})
	admit(t, k, c, 20)
	before, began := counters.RoundTrips(), time.Now()
	require.LessOrEqual(t, admit(t, k, c, 1000), 1)
	windows := int64(time.Since(began)/(100*time.Millisecond)) + 2
	require.LessOrEqual(t, counters.RoundTrips()-before, windows, "once in 100 ms is enough")
}

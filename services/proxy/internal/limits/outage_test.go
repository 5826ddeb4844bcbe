package limits_test

import (
	"strings"
	"syscall"
	"testing"
	"time"

	client "github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/testkit/testenv"
	"github.com/signalbox/signalbox/services/proxy/internal/limits"
)

// raw is the test's own Redis client.
func raw(t *testing.T, url string) *client.Client {
	t.Helper()
	o, err := client.ParseURL(url)
	require.NoError(t, err)
	c := client.NewClient(o)
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// back waits until every proxy can use its counters again.
func back(t *testing.T, ks []*limits.Limiter) {
	t.Helper()
	for _, k := range ks {
		require.Eventually(t, func() bool { return !k.IsDegraded() }, eventually, often)
	}
}

// knows waits until every proxy has the whole sum, which it learns with its next
// update.
func knows(t *testing.T, ks []*limits.Limiter, c *limits.Caller, thousandths int64) {
	t.Helper()
	for _, k := range ks {
		p := enter(t, k, c)
		require.Eventually(t, func() bool {
			require.Error(t, p.Reserve(t.Context(), 0, c.Key.NanoUSDPerDay))
			return *p.BudgetUsed() == thousandths
		}, eventually, often)
		p.Release()
	}
}

// holders returns how many proxies hold something of the counter whose name contains part.
func holders(t *testing.T, r *client.Client, part string) (n int) {
	t.Helper()
	keys, err := r.Keys(t.Context(), "*"+part+"*").Result()
	require.NoError(t, err)
	for _, key := range keys {
		fields, err := r.HKeys(t.Context(), key).Result()
		require.NoError(t, err)
		for _, field := range fields {
			if strings.HasPrefix(field, "h:") {
				n++
			}
		}
	}
	return n
}

// outages are ways to lose Redis. Calling the result ends the outage.
var outages = map[string]func(t *testing.T, s *testenv.Server) (end func()){
	"killed": func(_ *testing.T, s *testenv.Server) func() { return s.Down() },
	"hung": func(t *testing.T, s *testenv.Server) func() {
		pid := s.PID()
		require.NoError(t, syscall.Kill(pid, syscall.SIGSTOP))
		return func() { _ = syscall.Kill(pid, syscall.SIGCONT) }
	},
}

func TestRedisGoneInTheMiddle(t *testing.T) {
	for name, outage := range outages {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := redis(t)
			server.KeepRunning()
			ks := proxiesWithin(t, server.URL, 2, outageCounterTimeout)
			began := time.Now()
			c, money := key(limits.Set{RequestsPerMinute: 100, Concurrent: 10}), key(limits.Set{NanoUSDPerDay: 10_000})
			money.KeyID = "money"
			for _, k := range ks {
				require.Equal(t, 21, admit(t, k, c, 21))
				require.NoError(t, spend(t, k, money, 1000, 1000))
			}
			end := outage(t, server)
			defer end()

			// The first has seen 79 units free, the second 58. Each may use
			// half of that and its lease. Every other request must be admitted.
			var admitted, spent int
			for _, k := range ks {
				admitted += admit(t, k, c, 100)
				p := enter(t, k, money)
				for p.Reserve(t.Context(), 0, 100) == nil {
					spent += 100
				}
				p.Settle(0, 0)
				p.Release()
				require.True(t, k.IsDegraded())
			}
			require.LessOrEqual(t, admitted, 79/2+58/2+2*5+3+accrued(100, began))
			require.GreaterOrEqual(t, admitted, 60)
			require.LessOrEqual(t, spent, 9000/2+8000/2)
			require.GreaterOrEqual(t, spent, 7000)

			end()
			back(t, ks)
			admitted = admit(t, ks[0], c, 100) + admit(t, ks[1], c, 100)
			require.LessOrEqual(t, admitted, 30+accrued(100, began), "the counters know what was used without them")
			knows(t, ks, money, 200)
		})
	}
}

func TestMoneySpentWithoutRedisIsCountedAfterwards(t *testing.T) {
	t.Parallel()
	server := redis(t)
	server.KeepRunning()
	ks := proxies(t, server.URL, 2)
	c := key(limits.Set{NanoUSDPerDay: 10_000})
	for _, k := range ks {
		require.NoError(t, spend(t, k, c, 1000, 1000))
	}
	up := server.Down()
	for _, k := range ks {
		require.NoError(t, spend(t, k, c, 2000, 2500))
	}
	up()
	back(t, ks)
	knows(t, ks, c, 700)
}

func TestRedisFlushed(t *testing.T) {
	t.Parallel()
	server := redis(t)
	ks := proxies(t, server.URL, 2)
	c := key(limits.Set{RequestsPerMinute: 100, Concurrent: 2, NanoUSDPerDay: 1000})
	one := enter(t, ks[0], c)
	require.NoError(t, one.Reserve(t.Context(), 0, 400))
	two := enter(t, ks[1], c)
	require.NoError(t, two.Reserve(t.Context(), 0, 400))
	r := raw(t, server.URL)
	require.NoError(t, r.FlushAll(t.Context()).Err())

	require.Eventually(t, func() bool {
		return holders(t, r, "concurrent") == 2 && holders(t, r, "day") == 2
	}, eventually, often, "what is held is told again without a request")
	for _, k := range ks {
		require.Eventually(t, func() bool {
			_, err := k.Admit(t.Context(), c)
			return err != nil
		}, eventually, often)
		require.Error(t, spend(t, k, key(limits.Set{NanoUSDPerDay: 1000}), 300, 0))
	}
	one.Settle(0, 400)
	two.Settle(0, 300)
	one.Release()
	two.Release()
	knows(t, ks, key(limits.Set{NanoUSDPerDay: 1000}), 700)
}

func TestRatesOfAFlushedRedisAreRemembered(t *testing.T) {
	t.Parallel()
	server := redis(t)
	ks := proxies(t, server.URL, 2)
	c, began := key(limits.Set{RequestsPerMinute: 60}), time.Now()
	require.Equal(t, 50, admit(t, ks[0], c, 50))
	require.NoError(t, raw(t, server.URL).FlushAll(t.Context()).Err())
	admitted := admit(t, ks[0], c, 60) + admit(t, ks[1], c, 60)
	require.LessOrEqual(t, admitted, 16+accrued(60, began))
	require.GreaterOrEqual(t, admitted, 6)
}

func TestEveryCounterExpires(t *testing.T) {
	server := redis(t)
	k := proxies(t, server.URL, 1)[0]
	c := key(limits.Set{RequestsPerMinute: 60, TokensPerMinute: 100, Concurrent: 5, NanoUSDPerDay: 1000, NanoUSDPerMonth: 1000})
	p := enter(t, k, c)
	require.NoError(t, p.Reserve(t.Context(), 10, 100))
	p.Settle(5, 50)
	p.Release()
	r := raw(t, server.URL)
	keys, err := r.Keys(t.Context(), "*").Result()
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(keys), 5)
	for _, name := range keys {
		left, err := r.PTTL(t.Context(), name).Result()
		require.NoError(t, err)
		require.Positive(t, left, name)
		require.Less(t, left, 41*24*time.Hour)
		require.True(t, strings.Contains(name, "{acme}") || strings.HasSuffix(name, ":proxies"), name)
	}
}

func TestStoppingGivesBackWhatIsHeld(t *testing.T) {
	t.Parallel()
	server := redis(t)
	first, stop := run(t, limits.Deps{Counters: shared(t, server.URL), CounterTimeout: defaultCounterTimeout})
	second := proxies(t, server.URL, 1)[0]
	c := key(limits.Set{RequestsPerMinute: 100, Concurrent: 100, TokensPerMinute: 1000, NanoUSDPerDay: 1000})
	p := enter(t, first, c)
	require.NoError(t, p.Reserve(t.Context(), 900, 900))
	require.Error(t, spend(t, second, c, 200, 0))
	p.Settle(0, 100)
	p.Release()
	stop()
	q := enter(t, second, c)
	require.Eventually(t, func() bool { return q.Reserve(t.Context(), 950, 900) == nil }, eventually, often)
}

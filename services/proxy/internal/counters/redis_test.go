package counters

import (
	"context"
	"math"
	"syscall"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/config"
	"github.com/signalbox/signalbox/pkg/testkit/testenv"
	"github.com/signalbox/signalbox/services/proxy/internal/limits"
)

var subject = limits.CounterID{AccountID: "acme", Scope: limits.ScopeKey, ID: "prod", Name: limits.RequestsPerMinute}

// patience is how long tests wait for Redis, because the machine may be slow.
const patience = 20 * time.Second

func open(t *testing.T, url string) *Redis {
	t.Helper()
	r, err := Open(Config{URL: config.Secret(url), Timeout: patience})
	require.NoError(t, err)
	t.Cleanup(func() { _ = r.Close() })
	return r
}

func rate(t *testing.T, r *Redis, a limits.RateUpdate) limits.RateGrant {
	t.Helper()
	a.CounterID = subject
	rates, holds, err := r.Exchange(t.Context(), []limits.RateUpdate{a}, nil)
	require.NoError(t, err)
	require.Empty(t, holds)
	return rates[0]
}

// hold sends an update, with a long TTL if none is given.
func hold(t *testing.T, r *Redis, a limits.HoldUpdate) limits.HoldGrant {
	t.Helper()
	a.CounterID = subject
	if a.HoldTTL == 0 {
		a.HoldTTL = time.Hour
	}
	a.CounterTTL = time.Hour
	rates, holds, err := r.Exchange(t.Context(), nil, []limits.HoldUpdate{a})
	require.NoError(t, err)
	require.Empty(t, rates)
	return holds[0]
}

func TestARateGrantsBetweenLeastAndWant(t *testing.T) {
	r, began := open(t, testenv.Redis(t)), time.Now()
	const limit = 7
	require.Equal(t, int64(3), rate(t, r, limits.RateUpdate{Limit: limit, Min: 1, Max: 3}).Units)
	require.Zero(t, rate(t, r, limits.RateUpdate{Limit: limit, Min: 5, Max: 5}).Units, "4 are left")
	g := rate(t, r, limits.RateUpdate{Limit: limit, Min: 2, Max: 9})
	require.Equal(t, int64(4), g.Units)
	require.InDelta(t, time.Minute, g.Used, float64(time.Since(began)+time.Second))
	require.Zero(t, rate(t, r, limits.RateUpdate{Limit: limit, Min: 1, Max: 1}).Units)
	require.Equal(t, int64(2), rate(t, r, limits.RateUpdate{Limit: limit, Min: 1, Max: 3, Returned: 2}).Units)
	require.Equal(t, int64(350), rate(t, r, limits.RateUpdate{Limit: 700, Max: 350, Returned: 350}).Units,
		"a changed limit is as used as the old one was")
	g = rate(t, r, limits.RateUpdate{Limit: limit, Debit: 7})
	require.InDelta(t, 2*time.Minute, g.Used, float64(time.Since(began)+time.Second))
	require.Zero(t, rate(t, r, limits.RateUpdate{Limit: limit, Min: 1, Max: 1, Returned: 7}).Units)
}

func TestARateThatWasLostGoesByWhatWasSeen(t *testing.T) {
	r, began := open(t, testenv.Redis(t)), time.Now()
	ask := limits.RateUpdate{Limit: 60, Min: 1, Max: 60, LastUsed: 45 * time.Second}
	require.Equal(t, int64(15), rate(t, r, ask).Units)
	ask.Returned, ask.LastUsed = 15, 58*time.Second
	require.InDelta(t, 15, rate(t, r, ask).Units, 2+time.Since(began).Seconds(), "a counter that is there is believed")
}

func TestLargeRatesAreCountedOneByOne(t *testing.T) {
	r, began := open(t, testenv.Redis(t)), time.Now()
	const limit = 1e9
	before := rate(t, r, limits.RateUpdate{Limit: limit, Max: limit / 2}).Used
	for range 50 {
		require.Equal(t, int64(10_000_000), rate(t, r, limits.RateUpdate{Limit: limit, Min: 1, Max: 10_000_000}).Units)
	}
	require.InDelta(t, 30*time.Second, before, float64(time.Second))
	left := rate(t, r, limits.RateUpdate{Limit: limit, Max: limit}).Units
	require.Less(t, left, int64(limit*(0.1+time.Since(began).Minutes())))
	g := rate(t, r, limits.RateUpdate{Limit: 1, Debit: math.MaxInt64})
	require.Equal(t, 24*time.Hour, g.Used, "what is owed is forgotten some day")
}

func TestHoldsOfSeveralProxies(t *testing.T) {
	url := testenv.Redis(t)
	one, two := open(t, url), open(t, url)
	g := hold(t, one, limits.HoldUpdate{Limit: 1000, Sequence: 1, Min: 600, Need: 600, Spare: 500, SpareDivisor: 100})
	require.Equal(t, limits.HoldGrant{Held: 604, Free: 396}, g, "a hundredth of what is free is spare")
	g = hold(t, two, limits.HoldUpdate{Limit: 1000, Sequence: 1, Min: 397, Need: 397})
	require.Equal(t, limits.HoldGrant{Held: 0, Free: 396}, g)
	g = hold(t, two, limits.HoldUpdate{Limit: 1000, Sequence: 2, Min: 100, Need: 500})
	require.Equal(t, limits.HoldGrant{Held: 396, Free: 0}, g, "what there is, if it is enough for one")

	g = hold(t, one, limits.HoldUpdate{Limit: 1000, Sequence: 2, Spent: 250})
	require.Equal(t, limits.HoldGrant{Held: 0, Free: 354, TotalSpent: 250}, g)
	g = hold(t, two, limits.HoldUpdate{Limit: 1000, Sequence: 3, Spent: 50, Reserved: 300})
	require.Equal(t, limits.HoldGrant{Held: 300, Free: 400, TotalSpent: 300}, g)
	g = hold(t, one, limits.HoldUpdate{Limit: 1000, Sequence: 3, Spent: 250, StoredSpent: 450})
	require.Equal(t, limits.HoldGrant{Held: 0, Free: 250, TotalSpent: 450}, g, "the ledger knows more")
	g = hold(t, one, limits.HoldUpdate{Limit: 100, Sequence: 4, Spent: 250, Reserved: 80, Need: 1})
	require.Equal(t, limits.HoldGrant{Held: 80, Free: 0, TotalSpent: 450}, g, "what runs is held under a lowered limit too")
}

func TestWhatWasSpentBeforeThereWasACounterIsAdded(t *testing.T) {
	url := testenv.Redis(t)
	one, two := open(t, url), open(t, url)
	spent := func(r *Redis, number, settled, stored int64) int64 {
		return hold(t, r, limits.HoldUpdate{Limit: 1000, Sequence: number, Spent: settled, StoredSpent: stored}).TotalSpent
	}
	require.Equal(t, int64(300), spent(one, 1, 0, 300))
	require.Equal(t, int64(350), spent(one, 2, 50, 300), "what comes on top counts at once")
	require.Equal(t, int64(350), spent(one, 3, 50, 350), "and once")
	require.Equal(t, int64(370), spent(two, 1, 0, 370), "the ledger may know more")
	require.Equal(t, int64(380), spent(two, 2, 30, 370))

	require.NoError(t, one.client.FlushAll(t.Context()).Err())
	require.Equal(t, int64(380), spent(one, 4, 50, 380))
	require.Equal(t, int64(380), spent(two, 3, 30, 380), "what it told a lost counter is not counted again")
	require.Equal(t, int64(390), spent(two, 4, 40, 380))
}

func TestAHoldMayBeRepeatedAndComeLate(t *testing.T) {
	url := testenv.Redis(t)
	one, two := open(t, url), open(t, url)
	first := limits.HoldUpdate{Limit: 1000, Sequence: 1, Spent: 10, Min: 500, Need: 500}
	for range 3 {
		require.Equal(t, limits.HoldGrant{Held: 500, Free: 490, TotalSpent: 10}, hold(t, one, first))
	}
	hold(t, one, limits.HoldUpdate{Limit: 1000, Sequence: 2, Spent: 300, Reserved: 20})
	g := hold(t, one, first)
	require.Equal(t, limits.HoldGrant{Held: 20, Free: 680, TotalSpent: 300}, g, "an old figure changes nothing")
	require.Equal(t, limits.HoldGrant{Free: 680, TotalSpent: 300}, hold(t, two, limits.HoldUpdate{Limit: 1000, Sequence: 1}))
}

func TestTheHoldOfADeadProxyEndsAndItsSpendingStays(t *testing.T) {
	url := testenv.Redis(t)
	dead, alive := open(t, url), open(t, url)
	hold(t, dead, limits.HoldUpdate{Limit: 100, Sequence: 1, Spent: 30, Min: 50, Need: 50})
	require.Equal(t, limits.HoldGrant{Free: 20, TotalSpent: 30}, hold(t, alive, limits.HoldUpdate{Limit: 100, Sequence: 1}))
	// The last call of the dead proxy gives its hold a short life.
	hold(t, dead, limits.HoldUpdate{Limit: 100, Sequence: 2, Spent: 30, Reserved: 50, HoldTTL: time.Millisecond})
	number := int64(1)
	require.Eventually(t, func() bool {
		number++
		return hold(t, alive, limits.HoldUpdate{Limit: 100, Sequence: number}) == limits.HoldGrant{Free: 70, TotalSpent: 30}
	}, patience, 50*time.Millisecond)
}

func TestWhatIsNoFigureIsNone(t *testing.T) {
	r := open(t, testenv.Redis(t))
	hold(t, r, limits.HoldUpdate{Limit: 100, Sequence: 1, Spent: 30, Reserved: 10})
	keys, err := r.client.Keys(t.Context(), "*").Result()
	require.NoError(t, err)
	require.Len(t, keys, 1)
	require.NoError(t, r.client.HSet(t.Context(), keys[0], "h:other", "much", "s:other", "more", "stored", "all").Err())
	require.Equal(t, limits.HoldGrant{Held: 10, Free: 60, TotalSpent: 30}, hold(t, r, limits.HoldUpdate{Limit: 100, Sequence: 2, Spent: 30, Reserved: 10}))
}

func TestSumsAreNeverNegative(t *testing.T) {
	r := open(t, testenv.Redis(t))
	g := hold(t, r, limits.HoldUpdate{Limit: math.MaxInt64, Sequence: 1, Spent: math.MaxInt64, StoredSpent: math.MaxInt64, Reserved: math.MaxInt64, Need: math.MaxInt64})
	require.Equal(t, limits.HoldGrant{Held: math.MaxInt64, Free: 0, TotalSpent: math.MaxInt64}, g)
	g = hold(t, r, limits.HoldUpdate{Limit: 1, Sequence: 2})
	require.Equal(t, limits.HoldGrant{Held: 0, Free: 0, TotalSpent: math.MaxInt64}, g)
}

func TestProxiesAreCounted(t *testing.T) {
	url := testenv.Redis(t)
	one, two := open(t, url), open(t, url)
	n, known, err := one.CountProxies(t.Context(), limits.ProxyTTL, true)
	require.NoError(t, err)
	require.Equal(t, 1, n)
	require.False(t, known)
	n, _, err = two.CountProxies(t.Context(), limits.ProxyTTL, true)
	require.NoError(t, err)
	require.Equal(t, 2, n)
	_, known, err = one.CountProxies(t.Context(), limits.ProxyTTL, true)
	require.NoError(t, err)
	require.True(t, known)
	n, _, err = one.CountProxies(t.Context(), -time.Second, true)
	require.NoError(t, err)
	require.Zero(t, n, "nobody was heard of within no time")
	three := open(t, url)
	n, _, err = three.CountProxies(t.Context(), limits.ProxyTTL, false)
	require.NoError(t, err)
	require.Equal(t, 2, n, "who only looks does not count")
	require.NoError(t, one.client.FlushAll(t.Context()).Err())
	n, known, err = one.CountProxies(t.Context(), limits.ProxyTTL, true)
	require.NoError(t, err)
	require.Equal(t, 1, n)
	require.False(t, known, "the counters have lost everything")
}

func TestScriptsThatRedisForgotAreSentAgain(t *testing.T) {
	r := open(t, testenv.Redis(t))
	both := func() ([]limits.RateGrant, []limits.HoldGrant, error) {
		return r.Exchange(t.Context(), []limits.RateUpdate{{CounterID: subject, Limit: 10, Max: 1}},
			[]limits.HoldUpdate{{CounterID: subject, Period: "2026-11-15", Limit: 10, Sequence: r.RoundTrips(), Need: 1, HoldTTL: time.Minute, CounterTTL: time.Minute}})
	}
	for range 2 {
		before := r.RoundTrips()
		rates, holds, err := both()
		require.NoError(t, err)
		require.Equal(t, int64(1), rates[0].Units)
		require.Equal(t, int64(1), holds[0].Held)
		require.Equal(t, before+2, r.RoundTrips())
		before = r.RoundTrips()
		_, _, err = both()
		require.NoError(t, err)
		require.Equal(t, before+1, r.RoundTrips(), "both in one round trip")
		require.NoError(t, r.client.ScriptFlush(t.Context()).Err())
	}
}

func TestTheCallersDeadlineHolds(t *testing.T) {
	server, err := testenv.StartRedis()
	require.NoError(t, err)
	t.Cleanup(server.Stop)
	r := open(t, server.URL)
	rate(t, r, limits.RateUpdate{Limit: 1})
	require.True(t, r.client.(*redis.Client).Options().ContextTimeoutEnabled, "without it a hung Redis is waited for")
	require.NoError(t, syscall.Kill(server.PID(), syscall.SIGSTOP))
	defer func() { _ = syscall.Kill(server.PID(), syscall.SIGCONT) }()
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, _, err = r.Exchange(ctx, []limits.RateUpdate{{CounterID: subject, Limit: 1}}, nil)
	require.Error(t, err)
	_, _, err = r.CountProxies(ctx, limits.ProxyTTL, true)
	require.Error(t, err)
}

func TestABadURLIsNotQuoted(t *testing.T) {
	_, err := Open(Config{URL: "http://user:secret@host"})
	require.Error(t, err)
	require.NotContains(t, err.Error(), "secret")
}

// A client can invent users that never spend anything. Their counters must not fill Redis.
func TestAnUnusedCounterExpiresWithItsHolds(t *testing.T) {
	server, err := testenv.StartRedis()
	require.NoError(t, err)
	t.Cleanup(server.Stop)
	r := open(t, server.URL)
	left := func() time.Duration {
		ttl, err := r.client.PTTL(t.Context(), counterKey(&subject, "")).Result()
		require.NoError(t, err)
		return ttl
	}
	hold(t, r, limits.HoldUpdate{Limit: 10, Sequence: 1, Reserved: 5, HoldTTL: time.Minute})
	require.Greater(t, left(), time.Minute, "something is held")
	hold(t, r, limits.HoldUpdate{Limit: 10, Sequence: 2, HoldTTL: time.Minute})
	require.LessOrEqual(t, left(), time.Minute)
	hold(t, r, limits.HoldUpdate{Limit: 10, Sequence: 3, Spent: 1, HoldTTL: time.Minute})
	require.Greater(t, left(), time.Minute, "something is spent")
}

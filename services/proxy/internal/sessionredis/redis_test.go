package sessionredis

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"net"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/config"
	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/pkg/testkit/testenv"
	"github.com/signalbox/signalbox/services/proxy/internal/session"
	"github.com/signalbox/signalbox/services/proxy/internal/sessionkeeper"
)

var quiet = slog.New(slog.DiscardHandler)

func open(t *testing.T, url string) *Redis {
	t.Helper()
	r, err := Open(Config{URL: config.Secret(url), Timeout: patience})
	require.NoError(t, err)
	t.Cleanup(func() { _ = r.Close() })
	return r
}

func served(model string, at time.Time) *session.Served {
	return &session.Served{Candidate: decide.Candidate{Model: model, Provider: "p"}, Usage: catalog.Usage{Input: 3000, CacheRead: 1000, Output: 10}, At: at, Cache: catalog.Cache{Mode: catalog.CacheAutomatic, TTLSeconds: 300}, CostNanoUSD: 5, SavedNanoUSD: -2}
}

func change(account, id string, before *session.State, r *session.Served) sessionkeeper.Change {
	s, added := before.After(r)
	return sessionkeeper.Change{Account: account, Key: session.KeyOf(account, id), State: s, Added: added, IsTurn: r.IsTurn()}
}

// save writes changes as a batch of a writer of its own.
func save(t *testing.T, r *Redis, changes ...sessionkeeper.Change) {
	t.Helper()
	rejected, err := r.Save(t.Context(), sessionkeeper.Batch{Writer: rand.Text(), Number: 1, Now: time.Now(), Changes: changes})
	require.NoError(t, err)
	require.Zero(t, rejected)
}

// unmarked returns a state without what only its process knows.
func unmarked(s *session.State) session.State {
	plain := *s
	plain.StoredAt, plain.IsAhead = 0, false
	return plain
}

// load reads a state.
func load(t *testing.T, r *Redis, account string, key session.Key) *session.State {
	t.Helper()
	s, age, err := r.Load(t.Context(), account, key)
	require.NoError(t, err)
	require.GreaterOrEqual(t, age, time.Duration(0))
	return s
}

func TestWhatOneProxySavesAnotherOneLoads(t *testing.T) {
	url := testenv.Redis(t)
	a, b := open(t, url), open(t, url)
	key, now := session.KeyOf("acc", "s"), time.Now()
	require.Nil(t, load(t, b, "acc", key))

	first := change("acc", "s", nil, served("m", now))
	save(t, a, first)
	require.Equal(t, unmarked(first.State), unmarked(load(t, b, "acc", key)))

	for _, account := range []string{"other", ""} {
		require.Nil(t, load(t, b, account, key), "the same key in another account")
	}
}

// Both proxies add to the totals, also if neither has seen the other's request. The newest turn
// wins, in whichever order the writes arrive.
func TestProxiesDoNotOverwriteEachOther(t *testing.T) {
	r := open(t, testenv.Redis(t))
	now := time.Now()
	late, early := change("acc", "s", nil, served("late", now)), change("acc", "s", nil, served("early", now.Add(-time.Minute)))
	side := served("side", now.Add(time.Minute))
	side.SideCall = true
	save(t, r, late, early, change("acc", "s", nil, side))
	got := load(t, r, "acc", session.KeyOf("acc", "s"))
	require.Equal(t, "late", got.Last.Model)
	require.Equal(t, session.Totals{Requests: 3, Turns: 2, CostNanoUSD: 15, SavedNanoUSD: -6, InputTokens: 12_000, CachedTokens: 3000}, got.Totals)
}

func TestASessionOfSideCallsHasTotals(t *testing.T) {
	r := open(t, testenv.Redis(t))
	side := served("side", time.Now())
	side.SideCall = true
	save(t, r, change("acc", "s", nil, side))
	got := load(t, r, "acc", session.KeyOf("acc", "s"))
	require.Equal(t, int64(1), got.Totals.Requests)
	require.Zero(t, got.Last)
	k := newKeeper(t, r, nil)
	require.Equal(t, int64(1), k.View(t.Context(), "acc", session.KeyOf("acc", "s")).Totals.Requests)
}

func TestStatesExpireAndAreSmall(t *testing.T) {
	url := testenv.Redis(t)
	r, now := open(t, url), time.Now()
	c := change("acc", "s", nil, served("m", now))
	save(t, r, c)
	key := r.key("acc", c.Key)
	left, err := r.client.PTTL(t.Context(), key).Result()
	require.NoError(t, err)
	require.InDelta(t, session.IdleLifetime, left, float64(time.Minute))
	size, err := r.client.MemoryUsage(t.Context(), key).Result()
	require.NoError(t, err)
	require.Less(t, size, int64(600))

	c.State.Expires = now.UnixMilli() - 5 // a session never expires earlier by a late write
	save(t, r, c)
	left, err = r.client.PTTL(t.Context(), key).Result()
	require.NoError(t, err)
	require.InDelta(t, session.IdleLifetime, left, float64(time.Minute))
}

// A state of another version is as good as none. It is no error, so that the breaker stays closed.
func TestAStateOfAnotherVersionIsUnknown(t *testing.T) {
	r := open(t, testenv.Redis(t))
	key := session.KeyOf("acc", "s")
	require.NoError(t, r.client.HSet(t.Context(), r.key("acc", key), "state", "\x63future", "requests", 1).Err())
	got := load(t, r, "acc", key)
	require.Nil(t, got)
}

func TestAnInvalidURLDoesNotLeakThePassword(t *testing.T) {
	_, err := Open(Config{URL: "http://user:geheim@host"})
	require.Error(t, err)
	require.NotContains(t, err.Error(), "geheim")
}

// pid returns the process id of a redis-server.
func pid(t *testing.T, r *Redis) int {
	t.Helper()
	info, err := r.client.InfoMap(t.Context(), "server").Result()
	require.NoError(t, err)
	n, err := strconv.Atoi(info["Server"]["process_id"])
	require.NoError(t, err)
	return n
}

// While Redis is stopped by a signal, calls fail at their deadline. Afterwards they work again.
func TestAPausedRedis(t *testing.T) {
	r := open(t, testenv.Redis(t))
	c := change("acc", "s", nil, served("m", time.Now()))
	save(t, r, c)
	server := pid(t, r)
	require.NoError(t, syscall.Kill(server, syscall.SIGSTOP))
	t.Cleanup(func() { _ = syscall.Kill(server, syscall.SIGCONT) })
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	_, _, err := r.Load(ctx, "acc", c.Key)
	var timeout net.Error
	require.True(t, errors.Is(err, context.DeadlineExceeded) || errors.As(err, &timeout) && timeout.Timeout(), "%v", err)
	require.NoError(t, syscall.Kill(server, syscall.SIGCONT))
	require.Eventually(t, func() bool {
		got, _, err := r.Load(t.Context(), "acc", c.Key)
		return err == nil && got != nil
	}, 10*time.Second, 10*time.Millisecond)
}

func TestScriptsSurviveARestartOfRedis(t *testing.T) {
	url := testenv.Redis(t)
	r := open(t, url)
	c := change("acc", "s", nil, served("m", time.Now()))
	save(t, r, c)
	require.NoError(t, r.client.ScriptFlush(t.Context()).Err())
	save(t, r, c, c)
	got := load(t, r, "acc", c.Key)
	require.Equal(t, int64(3), got.Totals.Requests)
}

// Two keepers share a Redis: what one of them remembers, the other one finds.
func TestTwoKeepersShareTheirSessions(t *testing.T) {
	url := testenv.Redis(t)
	one := startKeeper(t, open(t, url), nil)
	two := newKeeper(t, open(t, url), nil)
	key := session.KeyOf("acc", "s")
	one.Remember("acc", key, served("m", time.Now()), false)
	one.stop()
	require.Nil(t, two.Get(key))
	want, got := one.Get(key), two.View(t.Context(), "acc", key)
	// The times of a state that was read contain the delay of the calls.
	delay := time.Duration(got.LastAt-want.LastAt) * time.Millisecond
	require.Equal(t, unmarked(want.Shifted(delay)), unmarked(got))
}

// A session with a value that Redis cannot change is rejected. The others of the batch are saved.
func TestADamagedSessionDoesNotBlockOthers(t *testing.T) {
	r, now := open(t, testenv.Redis(t)), time.Now()
	bad, good := change("acc", "bad", nil, served("m", now)), change("acc", "good", nil, served("m", now))
	require.NoError(t, r.client.Set(t.Context(), r.key("acc", bad.Key), "no hash", 0).Err())
	rejected, err := r.Save(t.Context(), sessionkeeper.Batch{Writer: "w", Number: 1, Now: now, Changes: []sessionkeeper.Change{bad, good}})
	require.NoError(t, err)
	require.Equal(t, 1, rejected)
	require.Equal(t, unmarked(good.State), unmarked(load(t, r, "acc", good.Key)))
}

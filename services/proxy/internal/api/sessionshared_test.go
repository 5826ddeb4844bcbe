package api_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/config"
	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/pkg/testkit/testenv"
	"github.com/signalbox/signalbox/services/proxy/internal/sessionkeeper"
	"github.com/signalbox/signalbox/services/proxy/internal/sessionredis"
)

// patience is how long tests wait for Redis, because the machine may be slow.
const patience = 20 * time.Second

// sharing returns a proxy whose sessions are in Redis, and which waits long for Redis.
func sharing(t *testing.T, url string) *agentRig {
	t.Helper()
	return sharingWithin(t, url, patience)
}

// sharingWithin returns a proxy whose chat requests wait so long for Redis.
func sharingWithin(t *testing.T, url string, loadTimeout time.Duration) *agentRig {
	t.Helper()
	a := newAgentRig(t)
	store, err := sessionredis.Open(sessionredis.Config{URL: config.Secret(url), Timeout: patience})
	require.NoError(t, err)
	a.deps.Sessions = sessionkeeper.New(t.Context(), sessionkeeper.Deps{
		Shared: store, Log: slog.New(slog.DiscardHandler), LoadTimeout: loadTimeout, ViewTimeout: patience,
	})
	a.start(t)
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		a.deps.Sessions.Run(ctx)
	}()
	t.Cleanup(func() {
		stop()
		<-done
		require.NoError(t, store.Close())
	})
	return a
}

// awaitTurns waits until a proxy sees so many turns of a session.
func (a *agentRig) awaitTurns(t *testing.T, id string, turns int) {
	t.Helper()
	require.Eventually(t, func() bool {
		res, text := a.request(t, http.MethodGet, "/proxy/v1/session?id="+id, "")
		var view struct{ Turns int }
		return res.StatusCode == http.StatusOK && json.Unmarshal([]byte(text), &view) == nil && view.Turns == turns
	}, patience, 2*time.Millisecond)
}

func TestTwoProxiesShareASession(t *testing.T) {
	url := testenv.Redis(t)
	one, two := sharing(t, url), sharing(t, url)
	header := []string{"X-Signalbox-Session", "s"}
	one.chat(t, firstTurn, header...)
	two.awaitTurns(t, "s", 1)
	r := two.chat(t, secondTurn, header...)
	require.Equal(t, &decide.Candidate{Model: "small", Provider: "one"}, r.Question.Session.Last)
	require.Equal(t, int64(1), r.Question.Session.Turns)
	one.awaitTurns(t, "s", 2)
	require.Equal(t, int64(2), one.chat(t, secondTurn, header...).Question.Session.Turns)
	res, _ := two.request(t, http.MethodGet, "/proxy/v1/session?id=s", "", "Api-Key", "other")
	require.Equal(t, http.StatusNotFound, res.StatusCode, "another account")
}

// A proxy reads the state of a session that it has not seen before it decides.
func TestAProxyReadsTheStateOfAnotherOne(t *testing.T) {
	url := testenv.Redis(t)
	one, two, observer := sharing(t, url), sharing(t, url), sharing(t, url)
	for name, header := range map[string]string{"early, by header": "X-Signalbox-Session", "late, by body": ""} {
		id := name[:4]
		first, second, more := firstTurn, secondTurn, []string{header, id}
		if header == "" {
			key := `,"prompt_cache_key":"` + id + `"}`
			first, second, more = strings.TrimSuffix(first, "}")+key, strings.TrimSuffix(second, "}")+key, nil
		}
		one.chat(t, first, more...)
		observer.awaitTurns(t, id, 1)
		require.Equal(t, int64(1), two.chat(t, second, more...).Question.Session.Turns, name)
	}
}

// A single message without a session id needs nothing from Redis and leaves nothing there.
func TestSingleMessagesDoNotUseRedis(t *testing.T) {
	url := testenv.Redis(t)
	a, observer := sharing(t, url), sharing(t, url)
	for range 3 {
		a.chat(t, helloBody)
	}
	a.chat(t, `{"model":"large","messages":[{"role":"user","content":"a"},{"role":"assistant","content":"b"},{"role":"user","content":"c"}]}`)
	a.chat(t, strings.Replace(firstTurn, "Repair", "Make", 1))
	require.Zero(t, a.deps.Sessions.Reads())
	a.chat(t, secondTurn, "X-Signalbox-Session", "s")
	observer.awaitTurns(t, "s", 1) // a itself sees the turn before it is in Redis
	o, err := redis.ParseURL(url)
	require.NoError(t, err)
	client := redis.NewClient(o)
	defer func() { require.NoError(t, client.Close()) }()
	keys, err := client.Keys(t.Context(), "signalbox:session:*").Result()
	require.NoError(t, err)
	require.Len(t, keys, 3, "the session, and the conversations with a history and with tools")
}

// While Redis hangs, every request is served with what the proxy knows itself, and after a few
// failed reads Redis is left alone.
func TestAHangingRedisFailsNoRequest(t *testing.T) {
	url := testenv.Redis(t)
	a := sharingWithin(t, url, 5*time.Millisecond)
	header := []string{"X-Signalbox-Session", "s"}
	a.chat(t, firstTurn, header...)
	a.awaitTurns(t, "s", 1)
	o, err := redis.ParseURL(url)
	require.NoError(t, err)
	client := redis.NewClient(o)
	defer func() { require.NoError(t, client.Close()) }()
	info, err := client.InfoMap(t.Context(), "server").Result()
	require.NoError(t, err)
	pid, err := strconv.Atoi(info["Server"]["process_id"])
	require.NoError(t, err)
	require.NoError(t, syscall.Kill(pid, syscall.SIGSTOP))
	defer func() { require.NoError(t, syscall.Kill(pid, syscall.SIGCONT)) }()
	for turns := range int64(20) {
		require.Equal(t, turns+1, a.chat(t, secondTurn, header...).Question.Session.Turns)
	}
	require.Positive(t, a.deps.Sessions.FailedReads())
}

func TestAStoppedRedisFailsNoRequest(t *testing.T) {
	a := sharing(t, "redis://127.0.0.1:1/0")
	for turns := range int64(20) {
		require.Equal(t, turns, a.chat(t, secondTurn, "X-Signalbox-Session", "s").Question.Session.Turns)
	}
	require.Positive(t, a.deps.Sessions.FailedReads())
	require.Equal(t, 20.0, a.view(t, "s")["turns"])
}

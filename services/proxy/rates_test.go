package proxy_test

import (
	"fmt"
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/scripted"
	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
	recordv1 "github.com/signalbox/signalbox/proto/signalbox/record/v1"
	"github.com/signalbox/signalbox/services/proxy"
	"github.com/signalbox/signalbox/services/proxy/internal/counters"
)

// scopes are the possible owners of a limit.
var scopes = []string{"key", "account"}

// limit gives the wire a new key with limits on the key or on its account.
func (w *wire) limit(scope string, l *keyauthv1.Limits) {
	if scope == "key" {
		w.key = w.keyauth.addTo(w.t.Name(), nil, &keyauthv1.KeySettings{Limits: l})
		return
	}
	w.key = w.keyauth.addTo(w.t.Name(), l, &keyauthv1.KeySettings{})
}

// using returns a response with the given usage.
func using(input, output int64) scripted.Response {
	return scripted.JSON(200, fmt.Sprintf(`{"choices":[{"message":{"content":"a"},"finish_reason":"stop"}],"usage":{"prompt_tokens":%d,"completion_tokens":%d,"total_tokens":%d}}`,
		input, output, input+output))
}

// limited checks a rejection by a limit.
func (a answered) limited(t *testing.T, status int, code, scope, name string, limit int64) {
	t.Helper()
	a.refused(t, status, code)
	require.Contains(t, a.body, fmt.Sprintf(`"limit":{"limit":%d,"name":%q,`, limit, name))
	require.Contains(t, a.body, `"scope":"`+scope+`"`)
	require.Equal(t, recordv1.Outcome_OUTCOME_REJECTED, a.record.GetOutcome())
	require.Equal(t, code, a.record.GetCode())
	require.EqualValues(t, status, a.record.GetStatus())
	require.Empty(t, a.record.GetAttempts())
	require.Zero(t, a.record.GetCostNanoUsd())
}

// waits checks the Retry-After of a rejection.
func (a answered) waits(t *testing.T, atMost time.Duration) {
	t.Helper()
	seconds, err := strconv.ParseInt(a.header.Get("Retry-After"), 10, 64)
	require.NoError(t, err)
	ms, err := strconv.ParseInt(a.header.Get("Retry-After-Ms"), 10, 64)
	require.NoError(t, err)
	require.GreaterOrEqual(t, seconds, int64(1))
	require.GreaterOrEqual(t, seconds*1000, ms)
	require.LessOrEqual(t, ms, atMost.Milliseconds())
}

// recovers waits until requests are served again.
func (w *wire) recovers() {
	w.t.Helper()
	require.Eventually(w.t, func() bool {
		return w.ask(chatPath, plain(`,"max_tokens":1`)).status == http.StatusOK
	}, patience, 20*time.Millisecond)
}

func TestRequestsPerMinute(t *testing.T) {
	w := newWire(t)
	for _, scope := range scopes {
		t.Run(scope, func(t *testing.T) {
			w := w.in(t)
			w.limit(scope, &keyauthv1.Limits{RequestsPerMinute: 30})
			a := w.useUpRequests(30, 2*time.Second)
			a.limited(t, http.StatusTooManyRequests, "RATE_LIMIT_EXCEEDED", scope, "requests_per_minute", 30)
			a.waits(t, 2*time.Second)
			require.Equal(t, "true", a.header.Get("X-Should-Retry"))
			require.Equal(t, "0", a.header.Get("X-Ratelimit-Remaining-Requests"))
			require.Contains(t, a.body, `"reset_at":"20`)

			res, _ := w.call(http.MethodGet, modelsPath, "")
			require.Equal(t, http.StatusOK, res.StatusCode, "what calls no upstream is not counted")
			w.recovers()
		})
	}
}

// useUpRequests sends requests until the limit rejects one, and returns the rejection. A slow
// machine gets more than the limit, because one request per interval is allowed again. The
// response that the upstream has ready for the rejected request stays.
func (w *wire) useUpRequests(limit int, interval time.Duration) answered {
	w.t.Helper()
	began := time.Now()
	for sent := 1; ; sent++ {
		w.up.Script(using(1, 1))
		a := w.ask(chatPath, plain(""))
		regained := int(time.Since(began) / interval)
		if a.status == http.StatusTooManyRequests {
			require.Greater(w.t, sent, limit)
			return a
		}
		require.Equal(w.t, http.StatusOK, a.status, a.body)
		require.LessOrEqual(w.t, sent, limit+regained)
		require.Equal(w.t, strconv.Itoa(limit), a.header.Get("X-Ratelimit-Limit-Requests"))
		remaining, err := strconv.Atoi(a.header.Get("X-Ratelimit-Remaining-Requests"))
		require.NoError(w.t, err)
		require.GreaterOrEqual(w.t, remaining, max(0, limit-sent))
		require.LessOrEqual(w.t, remaining, limit-sent+regained)
		require.Regexp(w.t, `^[0-9.]+(m?s|m[0-9.]+s)$`, a.header.Get("X-Ratelimit-Reset-Requests"))
		require.Empty(w.t, a.header.Get("X-Ratelimit-Limit-Tokens"))
	}
}

func TestTokensPerMinute(t *testing.T) {
	w := newWire(t)
	for _, scope := range scopes {
		t.Run(scope, func(t *testing.T) {
			w := w.in(t)
			const limit = 60_000 // one per millisecond
			w.limit(scope, &keyauthv1.Limits{TokensPerMinute: limit})
			w.up.Script(using(limit, 30_000)) // the debt outlasts the pauses of a slow machine
			a := w.ask(chatPath, plain(`,"max_tokens":1`))
			require.Equal(t, http.StatusOK, a.status, a.body)
			require.Equal(t, "60000", a.header.Get("X-Ratelimit-Limit-Tokens"))
			require.Equal(t, "0", a.header.Get("X-Ratelimit-Remaining-Tokens"), "after what it has really used")
			require.NotEmpty(t, a.header.Get("X-Ratelimit-Reset-Tokens"))

			a = w.ask(chatPath, plain(`,"max_tokens":1`))
			a.limited(t, http.StatusTooManyRequests, "RATE_LIMIT_EXCEEDED", scope, "tokens_per_minute", limit)
			a.waits(t, 31*time.Second)
			require.Equal(t, "0", a.header.Get("X-Ratelimit-Remaining-Tokens"))
			require.Equal(t, "small", a.record.GetRequestedModel(), "it was decided by then")
		})
	}
}

func TestTokensComeBack(t *testing.T) {
	w := newWire(t)
	for _, scope := range scopes {
		t.Run(scope, func(t *testing.T) {
			w := w.in(t)
			w.limit(scope, &keyauthv1.Limits{TokensPerMinute: 60_000})
			w.up.Script(using(60_000, 500))
			a := w.ask(chatPath, plain(`,"max_tokens":1`))
			require.Equal(t, http.StatusOK, a.status, a.body)
			w.up.Script(using(1, 1))
			w.recovers()
		})
	}
}

// Reserved but unused tokens are returned, whatever the outcome of the request.
func TestTokensThatWereNotUsedAreGivenBack(t *testing.T) {
	w := newWire(t)
	w.limit("key", &keyauthv1.Limits{TokensPerMinute: 600, NanoUsdPerDay: 1_500_000})
	for range 5 {
		w.up.Script(using(1, 1))
		a := w.ask(chatPath, plain(""))
		require.Equal(t, http.StatusOK, a.status, a.body)
		w.up.Script(scripted.JSON(500, `{}`))
		w.ask(chatPath, plain("")).refused(t, http.StatusBadGateway, "PROVIDER_UPSTREAM_ERROR")
	}
}

// A retry would not help.
func TestARequestThatNeedsMoreThanAMinuteHas(t *testing.T) {
	w := newWire(t)
	w.limit("key", &keyauthv1.Limits{TokensPerMinute: 100})
	a := w.ask(chatPath, plain(`,"max_tokens":1000`))
	a.limited(t, http.StatusTooManyRequests, "RATE_LIMIT_EXCEEDED", "key", "tokens_per_minute", 100)
	require.Equal(t, "false", a.header.Get("X-Should-Retry"))
	require.Empty(t, a.header.Get("Retry-After"))
}

func TestTheTightestMeterIsShown(t *testing.T) {
	w := newWire(t)
	w.key = w.keyauth.addTo("a", &keyauthv1.Limits{RequestsPerMinute: 5, TokensPerMinute: 50_000},
		&keyauthv1.KeySettings{Limits: &keyauthv1.Limits{RequestsPerMinute: 100, TokensPerMinute: 40_000}})
	w.up.Script(using(1, 1))
	a := w.ask(chatPath, plain(""))
	require.Equal(t, "5", a.header.Get("X-Ratelimit-Limit-Requests"))
	require.Equal(t, "4", a.header.Get("X-Ratelimit-Remaining-Requests"))
	require.Equal(t, "40000", a.header.Get("X-Ratelimit-Limit-Tokens"))

	w.up.Script(scripted.Events(chunk(`{"role":"assistant","content":"one"}`, "null"), stop, "[DONE]"))
	a = w.ask(chatPath, stream(""))
	require.Equal(t, "3", a.header.Get("X-Ratelimit-Remaining-Requests"), "a stream has them too")
	w.up.Script(scripted.JSON(500, `{}`))
	a = w.ask(chatPath, plain(""))
	require.Equal(t, "2", a.header.Get("X-Ratelimit-Remaining-Requests"), "and a failure")
	res, _ := w.call(http.MethodPost, embedPath, "{")
	require.Equal(t, "1", res.Header.Get("X-Ratelimit-Remaining-Requests"), "and what was never served")
}

func TestConcurrentRequests(t *testing.T) {
	g := newRig(t, nil)
	for _, scope := range scopes {
		t.Run(scope, func(t *testing.T) {
			w := (&wire{rig: g}).in(t)
			w.limit(scope, &keyauthv1.Limits{ConcurrentRequests: 1})
			held := w.hold(len(hello))
			a := w.ask(chatPath, hello)
			a.limited(t, http.StatusTooManyRequests, "CONCURRENCY_LIMIT_EXCEEDED", scope, "concurrent_requests", 1)
			a.waits(t, 10*time.Second)
			require.Equal(t, "true", a.header.Get("X-Should-Retry"))
			held.say(hello)
			res, _ := held.answer()
			require.Equal(t, http.StatusOK, res.StatusCode)
			w.record()
			require.Eventually(t, func() bool { return w.ask(chatPath, hello).status == http.StatusOK }, patience, time.Millisecond)
		})
	}
}

// While the shared counters are unavailable, each proxy uses its local share.
func TestRedisUnavailableAtStart(t *testing.T) {
	w := newWire(t, func(c *proxy.Config) { c.Proxies = 2 })
	w.stop()
	away, err := counters.Open(counters.Config{URL: "redis://127.0.0.1:1"})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, away.Close()) })
	w.counters = away
	w.start()
	w.limit("key", &keyauthv1.Limits{RequestsPerMinute: 4, TokensPerMinute: 1 << 40, ConcurrentRequests: 1, NanoUsdPerDay: 1 << 40, NanoUsdPerMonth: 1 << 40})
	for range 2 {
		w.up.Script(using(1, 1))
		a := w.ask(chatPath, plain(""))
		require.Equal(t, http.StatusOK, a.status, a.body)
	}
	w.ask(chatPath, plain("")).limited(t, http.StatusTooManyRequests, "RATE_LIMIT_EXCEEDED", "key", "requests_per_minute", 4)
	res, body := w.call(http.MethodGet, "/readyz", "")
	require.Equal(t, http.StatusOK, res.StatusCode)
	require.Contains(t, body, `"degraded":["limits"]`)
}

package proxy_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/policy"
	"github.com/signalbox/signalbox/pkg/scripted"
	"github.com/signalbox/signalbox/pkg/testkit/scriptedtest"
	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
	recordv1 "github.com/signalbox/signalbox/proto/signalbox/record/v1"
	"github.com/signalbox/signalbox/services/proxy"
)

const twoProviders = `version: 1
providers:
  up: {kind: openai, base_url: %s/v1, allow_private: true, timeouts: {first_token: %s, idle: 20s, total: 30s}}
  spare: {kind: openai, base_url: %s/v1, allow_private: true, timeouts: {first_token: 20s, idle: 20s, total: 30s}}
models:
  small:
    endpoints: [{provider: up, model: up-small}, {provider: spare, model: spare-small}]
    price: {input: "1.00", output: "2.00", per: 1M, effective: 2026-01-01}
    context: 1000000
defaults: {breaker: {min_requests: 3}}
`

// newPair starts a proxy with two upstreams that serve the same model.
func newPair(t *testing.T, firstToken string) (w *wire, spare *scriptedtest.Upstream) {
	t.Helper()
	t.Parallel()
	up, spare := scriptedtest.New(t, scriptedtest.OpenAI), scriptedtest.New(t, scriptedtest.OpenAI)
	cat, err := catalog.Load()
	require.NoError(t, err)
	p, err := policy.Compile(fmt.Appendf(nil, twoProviders, up.URL, firstToken, spare.URL), cat)
	require.NoError(t, err)
	g := &rig{
		t: t, keyauth: newKeyauthServer(), router: &routerServer{policy: p},
		cfg: proxy.Config{Data: t.TempDir(), DecideTimeout: patience, MaxBody: 8 << 20, DrainLimit: time.Second},
	}
	g.key = g.keyauth.add(&keyauthv1.KeySettings{Name: "test"})
	g.start()
	return &wire{rig: g, up: up}, spare
}

// attempts returns the attempts in the record.
func (a answered) attempts() (all []string) {
	for _, at := range a.record.GetAttempts() {
		all = append(all, strings.TrimSpace(at.GetProvider()+" "+at.GetCode()))
	}
	return all
}

// fellBack checks that only the second upstream served, and that headers and record say so.
func (a answered) fellBack(t *testing.T) {
	t.Helper()
	require.Equal(t, http.StatusOK, a.status, a.body)
	require.Contains(t, a.body, `"model":"small"`)
	require.NotContains(t, a.body, "error")
	require.Equal(t, "small", a.header.Get("X-Signalbox-Model"))
	require.Equal(t, "spare", a.header.Get("X-Signalbox-Provider"))
	require.Equal(t, "fallback", a.header.Get("X-Signalbox-Route"))
	require.Equal(t, recordv1.Route_ROUTE_FALLBACK, a.record.GetRoute())
	require.Equal(t, recordv1.Outcome_OUTCOME_OK, a.record.GetOutcome())
	require.Equal(t, "spare", a.record.GetProvider())
}

func TestWireFallbacks(t *testing.T) {
	for name, tt := range map[string]struct {
		give scripted.Response
		code string
	}{
		"W-26 server error":      {scripted.JSON(500, `{}`), "PROVIDER_UPSTREAM_ERROR"},
		"W-26 limit":             {scripted.JSON(429, `{}`).WithHeader("Retry-After", "7"), "PROVIDER_RATE_LIMITED"},
		"W-26 reset":             {scripted.Response{Ending: scripted.Reset}, "PROVIDER_CONNECTION_ERROR"},
		"W-23 error under 200":   {scripted.JSON(200, `{"error":{"message":"no"}}`), "PROVIDER_INVALID_RESPONSE"},
		"W-38 first event":       {scripted.Events(`{"error":{"message":"busy","code":503}}`), "PROVIDER_OVERLOADED"},
		"W-47 refused our key":   {scripted.JSON(401, `{}`), "PROVIDER_AUTH_ERROR"},
		"W-51 a page":            {scripted.Text(502, "text/html", "<html>"), "PROVIDER_UPSTREAM_ERROR"},
		"bad start of a stream":  {scripted.Stream("data: {\"choi\n\n"), "PROVIDER_INVALID_RESPONSE"},
		"stall behind its first": {scripted.Stream(": wait\n\n").First(1, scripted.Hang), "PROVIDER_TIMEOUT"},
	} {
		t.Run(name, func(t *testing.T) {
			firstToken := "20s"
			if tt.code == "PROVIDER_TIMEOUT" {
				firstToken = "200ms"
			}
			w, _ := newPair(t, firstToken)
			w.up.Script(tt.give)
			a := w.ask(chatPath, stream(""))
			a.fellBack(t)
			require.Equal(t, []string{"up " + tt.code, "spare"}, a.attempts())
			require.True(t, strings.HasSuffix(a.body, "data: [DONE]\n\n"))
		})
	}
}

// A fault of the request is the same at every provider, so the error is returned at once.
func TestWireNoFallbackForTheRequestsOwnFault(t *testing.T) {
	w, spare := newPair(t, "20s")
	w.up.Script(scripted.Events(`{"error":{"message":"messages[0] is odd","code":400}}`))
	a := w.ask(chatPath, stream(""))
	a.refused(t, http.StatusBadRequest, "PROVIDER_BAD_REQUEST")
	require.Empty(t, spare.Received())
}

// With an open breaker the candidate is not called, and the record says so.
func TestAnOpenBreakerIsAFallback(t *testing.T) {
	w, _ := newPair(t, "20s")
	for range 3 {
		w.up.Script(scripted.JSON(500, `{}`))
		w.ask(chatPath, plain("")).fellBack(t)
	}
	a := w.ask(chatPath, plain(""))
	a.fellBack(t)
	require.Equal(t, []string{"up BREAKER_OPEN", "spare"}, a.attempts())
	require.Zero(t, a.record.GetAttempts()[0].GetStatus())
	require.Zero(t, a.record.GetAttempts()[0].GetCostNanoUsd())
	require.Len(t, w.up.Received(), 3)
	_, ready := w.call(http.MethodGet, "/readyz", "")
	require.Contains(t, ready, "small at up")
}

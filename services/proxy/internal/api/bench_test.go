package api_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apikey"
	"github.com/signalbox/signalbox/pkg/config"
	"github.com/signalbox/signalbox/pkg/httpserver"
	"github.com/signalbox/signalbox/pkg/policy"
	"github.com/signalbox/signalbox/pkg/testkit/testenv"
	"github.com/signalbox/signalbox/pkg/tokens"
	"github.com/signalbox/signalbox/services/proxy/internal/api"
	"github.com/signalbox/signalbox/services/proxy/internal/control"
	"github.com/signalbox/signalbox/services/proxy/internal/dispatch"
	"github.com/signalbox/signalbox/services/proxy/internal/keys"
	"github.com/signalbox/signalbox/services/proxy/internal/ledger"
	"github.com/signalbox/signalbox/services/proxy/internal/provider"
	"github.com/signalbox/signalbox/services/proxy/internal/recordcodec"
	"github.com/signalbox/signalbox/services/proxy/internal/sessionkeeper"
	"github.com/signalbox/signalbox/services/proxy/internal/sessionredis"
	"github.com/signalbox/signalbox/services/proxy/internal/spool"
)

const benchPolicy = `
version: 1
providers: {up: {kind: sandbox}}
models: {small: {endpoints: [{provider: up, model: up-small}], price: {input: "1.00", output: "2.00", per: 1M, effective: 2026-01-01}}}
defaults: {baseline: small}
routes: {auto: {select: [{candidates: [small]}]}}
`

// upstream always responds at once with the same kilobyte.
type upstream struct{ reply provider.Response }

func newUpstream() *upstream {
	const answer = `{"id":"a","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"%s"},"finish_reason":"stop"}],"usage":{"prompt_tokens":500,"completion_tokens":250,"total_tokens":750}}`
	return &upstream{provider.Response{Status: http.StatusOK, Body: fmt.Appendf(nil, answer, strings.Repeat("word ", 200)), UpstreamID: "up-1"}}
}

func (u *upstream) CompleteChat(context.Context, provider.Call) (*provider.Response, error) {
	return &u.reply, nil
}

func (u *upstream) ChatCompleter(string) (provider.ChatCompleter, bool) { return u, true }

func (u *upstream) Embedder(string) (provider.Embedder, bool) { return nil, false }

// anybody is a key service that accepts every key.
type anybody struct{}

func (anybody) Verify(context.Context, apikey.Digest) (*keys.Principal, error) {
	return &keys.Principal{AccountID: "account", KeyID: "key", KeyName: "production", Active: true, Version: 1}, nil
}

// whole returns a connection to an edge with real parts, except for the upstream and the control
// plane.
func whole(b *testing.B, change ...func(*api.Deps)) net.Conn {
	b.Helper()
	g, log, up := newRigOf(b, benchPolicy), slog.New(slog.DiscardHandler), newUpstream()
	sp, err := spool.Open(spool.Config{Dir: b.TempDir(), MaxBytes: 1 << 40, Log: log, Recover: recordcodec.AbortedRecord, StripBody: recordcodec.StripContent})
	require.NoError(b, err)
	b.Cleanup(func() { require.NoError(b, sp.Close()) })
	cache, router := keys.NewCache(anybody{}, time.Now), control.NewRouter(nil, time.Second, log)
	cache.PushReached(1)
	require.NoError(b, router.Adopt(g.policy, func(_, _ *policy.Policy) error { return nil }))
	d := g.deps
	d.Keys, d.Router, d.Ledger = cache, router, ledger.NewWriter(sp, spool.Headroom, recordcodec.Codec{})
	d.RecordDone, d.Tokens = control.NewOutcomes(nil, "", nil, log).Report, tokens.NewLearner()
	d.Providers = func(*policy.Policy) dispatch.Providers { return up }
	d.CaptureLimit, d.Limits.BodyTimeout = 64<<10, time.Minute
	for _, f := range change {
		f(&d)
	}
	return connect(b, api.New(d), log)
}

func connect(b *testing.B, h http.Handler, log *slog.Logger) net.Conn {
	b.Helper()
	lis, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(b, err)
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() {
		done <- httpserver.Serve(ctx, lis, httpserver.Config{Handler: h, Log: log, MaxConns: 10, DrainLimit: time.Second})
	}()
	conn, err := net.Dial("tcp", lis.Addr().String())
	require.NoError(b, err)
	b.Cleanup(func() {
		require.NoError(b, conn.Close())
		stop()
		require.NoError(b, <-done)
	})
	return conn
}

// BenchmarkRequest measures a plain chat request at the whole edge, its HTTP server included: 2 KB in,
// 1 KB out, and a record with its content in the spool.
func BenchmarkRequest(b *testing.B) {
	body := `{"model":"small","messages":[{"role":"user","content":"` + strings.Repeat("word ", 400) + `"}]}`
	benchmarkRequest(b, whole(b), "", body)
}

// BenchmarkTurn measures the same edge with a turn of an agent's session, once with the states in
// memory and once with Redis.
func BenchmarkTurn(b *testing.B) {
	body := `{"model":"auto","messages":[{"role":"user","content":"` + strings.Repeat("word ", 400) + `"},{"role":"assistant","content":"ok"},{"role":"user","content":"go on"}]}`
	b.Run("memory", func(b *testing.B) { benchmarkRequest(b, whole(b), "X-Signalbox-Session: s\r\n", body) })
	b.Run("redis", func(b *testing.B) {
		store, err := sessionredis.Open(sessionredis.Config{URL: config.Secret(testenv.Redis(b))})
		require.NoError(b, err)
		keeper := sessionkeeper.New(b.Context(), sessionkeeper.Deps{Shared: store, Log: slog.New(slog.DiscardHandler)})
		go keeper.Run(b.Context())
		conn := whole(b, func(d *api.Deps) { d.Sessions = keeper })
		benchmarkRequest(b, conn, "X-Signalbox-Session: s\r\n", body)
		b.ReportMetric(float64(keeper.FailedReads()), "failed_reads")
	})
}

// benchmarkRequest sends a request again and again. header has further lines.
func benchmarkRequest(b *testing.B, conn net.Conn, header, body string) {
	request := fmt.Appendf(nil, "POST /proxy/v1/chat/completions HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\n%s"+
		"Accept: application/json\r\nUser-Agent: OpenAI/Python 2.0\r\nX-Stainless-Retry-Count: 0\r\nContent-Length: %d\r\n\r\n%s", apikey.New(), header, len(body), body)
	answer := make([]byte, length(b, conn, request))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := conn.Write(request); err != nil {
			b.Fatal(err)
		}
		if _, err := io.ReadFull(conn, answer); err != nil {
			b.Fatal(err)
		}
	}
}

// length returns the length of the response, which is always the same. So the client need not
// parse it.
func length(b *testing.B, conn net.Conn, request []byte) int {
	b.Helper()
	_, err := conn.Write(request)
	require.NoError(b, err)
	var seen strings.Builder
	res, err := http.ReadResponse(bufio.NewReader(io.TeeReader(conn, &seen)), nil)
	require.NoError(b, err)
	defer func() { _ = res.Body.Close() }()
	_, err = io.Copy(io.Discard, res.Body)
	require.NoError(b, err)
	require.Equal(b, http.StatusOK, res.StatusCode, seen.String())
	return seen.Len()
}

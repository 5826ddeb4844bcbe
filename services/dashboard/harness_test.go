package dashboard_test

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/signalbox/signalbox/pkg/records"
	"github.com/signalbox/signalbox/pkg/rpc"
	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
	recordv1 "github.com/signalbox/signalbox/proto/signalbox/record/v1"
	routerv1 "github.com/signalbox/signalbox/proto/signalbox/router/v1"
	"github.com/signalbox/signalbox/services/dashboard"
	"github.com/signalbox/signalbox/services/dashboard/internal/store/storetest"
	"github.com/signalbox/signalbox/services/dashboard/internal/web"
)

// testEnv is a dashboard with fakes for all services around it.
type testEnv struct {
	t        *testing.T
	url      string
	accounts *accounts
	policies *policies
	carrier  *records.Memory
	seq      uint64
	proxy    *fakeProxy
	service  *dashboard.Service
}

func newTestEnv(t *testing.T, publicURL string) *testEnv {
	t.Helper()
	return newTestEnvWith(t, dashboard.Config{PublicURL: publicURL})
}

func newTestEnvWith(t *testing.T, cfg dashboard.Config) *testEnv {
	t.Helper()
	return newTestEnvBehind(t, cfg, func(conn grpc.ClientConnInterface) grpc.ClientConnInterface { return conn })
}

// newTestEnvBehind connects to keyauth through the connection that between returns.
func newTestEnvBehind(t *testing.T, cfg dashboard.Config, between func(grpc.ClientConnInterface) grpc.ClientConnInterface) *testEnv {
	t.Helper()
	h := &testEnv{t: t, accounts: newAccounts(), policies: &policies{}, carrier: records.NewMemory(), proxy: newFakeProxy(t)}
	cfg.Proxy = h.proxy.url
	log := slog.New(slog.DiscardHandler)
	memory := rpc.NewMemory()
	server := rpc.NewServer(rpc.ServerConfig{Log: log})
	keyauthv1.RegisterAccountServiceServer(server.Registrar(), h.accounts)
	routerv1.RegisterRouterServiceServer(server.Registrar(), router{})
	routerv1.RegisterPolicyServiceServer(server.Registrar(), h.policies)
	h.background(func(ctx context.Context) error { return server.Serve(ctx, memory.Listener()) })
	conn, err := memory.Dial(rpc.ClientConfig{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, conn.Close()) })
	if cfg.Data == "" {
		cfg.Data = t.TempDir()
	}
	h.service, err = dashboard.New(t.Context(), cfg, dashboard.Deps{
		Accounts: keyauthv1.NewAccountServiceClient(between(conn)), Router: routerv1.NewRouterServiceClient(conn),
		Policies: routerv1.NewPolicyServiceClient(conn), Records: h.carrier, Log: log,
		PageTimeouts:  web.Timeouts{Preload: time.Minute, Installation: time.Minute, Parts: time.Minute},
		StoreTimeouts: storetest.LongTimeouts(),
		LocalServers: func(context.Context) []dashboard.LocalServer {
			return []dashboard.LocalServer{{Provider: "ollama", BaseURL: "http://127.0.0.1:11434/v1", Models: []string{"llama"}}, {Provider: "vllm"}}
		},
	})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, h.service.Close()) })
	h.background(h.service.Run)
	web := httptest.NewServer(h.service.Handler())
	t.Cleanup(web.Close)
	h.url = web.URL
	return h
}

// background runs f until the test ends, and waits for it.
func (h *testEnv) background(f func(context.Context) error) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- f(ctx) }()
	h.t.Cleanup(func() {
		cancel()
		require.NoError(h.t, <-done)
	})
}

// publish sends records as a proxy does and waits until they are committed.
func (h *testEnv) publish(all ...*recordv1.RequestRecord) {
	h.t.Helper()
	var entries []records.Entry
	for _, r := range all {
		raw, err := proto.Marshal(r)
		require.NoError(h.t, err)
		h.seq++
		entries = append(entries, records.Entry{Producer: "proxy-1", Seq: h.seq, Record: raw})
	}
	require.NoError(h.t, h.carrier.Publish(h.t.Context(), entries))
	h.waitCommitted(records.Range{First: 1, Last: h.seq})
}

// waitCommitted waits until the store holds the sequence numbers.
func (h *testEnv) waitCommitted(numbers records.Range) {
	h.t.Helper()
	require.Eventually(h.t, func() bool {
		committed, err := h.carrier.CommittedRanges(h.t.Context(), "proxy-1")
		return err == nil && records.CoversRange(committed, numbers)
	}, 20*time.Second, 2*time.Millisecond)
}

// browser is a user with a cookie jar. It follows no redirects.
type browser struct {
	h    *testEnv
	http *http.Client
}

func (h *testEnv) browser() *browser {
	jar, err := cookiejar.New(nil)
	require.NoError(h.t, err)
	return &browser{h: h, http: &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse
	}}}
}

// registerUser registers a user and returns the browser and the account.
func (h *testEnv) registerUser(email string) (*browser, string) {
	b := h.browser()
	a := b.api("POST", "/register", `{"email":"`+email+`","password":"correct horse","name":"`+email+`"}`)
	require.Equal(h.t, http.StatusOK, a.status, a.body)
	return b, a.json(h.t)["account"].(map[string]any)["id"].(string)
}

// claimOperator claims the installation.
func (h *testEnv) claimOperator() *browser {
	b := h.browser()
	a := b.api("POST", "/claim", `{"token":"`+claimToken+`","email":"o@example.com","password":"correct horse"}`)
	require.Equal(h.t, http.StatusOK, a.status, a.body)
	return b
}

type response struct {
	status int
	header http.Header
	body   string
}

func (a response) json(t *testing.T) map[string]any {
	t.Helper()
	var v map[string]any
	require.NoError(t, json.Unmarshal([]byte(a.body), &v), a.body)
	return v
}

// requireError checks the shape that all errors share.
func (a response) requireError(t *testing.T, status int, code string) map[string]any {
	t.Helper()
	require.Equal(t, status, a.status, a.body)
	v := a.json(t)
	require.Equal(t, code, v["code"], a.body)
	require.NotEmpty(t, v["error"])
	details := v["details"].(map[string]any)
	require.Equal(t, a.header.Get("X-Request-Id"), details["request_id"])
	id, err := uuid.Parse(a.header.Get("X-Request-Id"))
	require.NoError(t, err)
	require.EqualValues(t, 7, id.Version())
	require.Equal(t, code, a.header.Get("X-Error-Code"))
	return details
}

func (b *browser) api(method, path, body string) response {
	b.h.t.Helper()
	header := map[string]string{}
	if body != "" {
		header["Content-Type"] = "application/json"
	}
	return b.send(method, "/api/v1"+path, body, header)
}

func (b *browser) get(path string) response { return b.send("GET", path, "", nil) }

func (b *browser) form(path string, fields url.Values) response {
	return b.send("POST", path, fields.Encode(), map[string]string{"Content-Type": "application/x-www-form-urlencoded"})
}

func (b *browser) send(method, path, body string, header map[string]string) response {
	b.h.t.Helper()
	r, err := http.NewRequestWithContext(b.h.t.Context(), method, b.h.url+path, strings.NewReader(body))
	require.NoError(b.h.t, err)
	r.Header.Set("Accept", "text/html,application/xhtml+xml,*/*;q=0.8")
	for name, value := range header {
		r.Header.Set(name, value)
	}
	resp, err := b.http.Do(r)
	require.NoError(b.h.t, err)
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(resp.Body)
	require.NoError(b.h.t, err)
	return response{resp.StatusCode, resp.Header, string(text)}
}

// noon is the time of the first record of made.
var noon = time.Date(2026, 11, 14, 12, 0, 0, 0, time.UTC)

// newRecord returns a record of an account, n seconds after noon.
func newRecord(account string, n int, change func(*recordv1.RequestRecord)) *recordv1.RequestRecord {
	at := noon.Add(time.Duration(n) * time.Second)
	id := uuid.Must(uuid.NewV7())
	r := &recordv1.RequestRecord{
		Schema: 1, Id: id[:], AccountId: account, KeyId: "key_1", KeyName: "prod", Time: timestamppb.New(at),
		Endpoint: recordv1.Endpoint_ENDPOINT_CHAT, RequestedModel: "auto", Model: "small", Provider: "alpha",
		Route: recordv1.Route_ROUTE_EXPECTED, Outcome: recordv1.Outcome_OUTCOME_OK, Status: 200,
		Tokens: &recordv1.Tokens{Input: 10, Output: 5}, CostNanoUsd: proto.Int64(100), BaselineModel: "large",
		BaselineNanoUsd: proto.Int64(1000), CostBasis: recordv1.CostBasis_COST_BASIS_FINAL, LatencyUs: 1500,
	}
	if change != nil {
		change(r)
	}
	binary.BigEndian.PutUint64(id[:], uint64(r.GetTime().AsTime().UnixMilli())<<16|uint64(binary.BigEndian.Uint16(id[6:])))
	copy(r.Id, id[:]) // with the same timestamp
	return r
}

func idOf(r *recordv1.RequestRecord) string { return uuid.UUID(r.GetId()).String() }

package health_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/health"
)

func call(t *testing.T, h http.Handler, method string) (*http.Response, string) {
	t.Helper()
	srv := httptest.NewServer(h)
	defer srv.Close()
	req, err := http.NewRequestWithContext(t.Context(), method, srv.URL, http.NoBody)
	require.NoError(t, err)
	resp, err := srv.Client().Do(req)
	require.NoError(t, err)
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	return resp, strings.TrimSpace(string(body))
}

func ok() error     { return nil }
func broken() error { return errors.New("dial postgres://user:hunter2@db.internal") }

func TestReady(t *testing.T) {
	tests := []struct {
		name   string
		give   func(r *health.Readiness)
		status int
		want   string
	}{
		{"nothing needed", func(*health.Readiness) {}, 200,
			`{"status":"ready","degraded":[],"missing":[]}`},
		{"all there", func(r *health.Readiness) { r.AddRequired("policy", ok); r.AddOptional("redis", ok) }, 200,
			`{"status":"ready","degraded":[],"missing":[]}`},
		{"an optional check fails", func(r *health.Readiness) {
			r.AddRequired("policy", ok)
			r.AddOptional("router", broken)
			r.AddOptional("redis", broken)
		}, 200,
			`{"status":"degraded","degraded":["redis","router"],"missing":[]}`},
		{"a need fails", func(r *health.Readiness) { r.AddRequired("policy", broken); r.AddOptional("redis", broken) }, 503,
			`{"status":"not_ready","degraded":["redis"],"missing":["policy"]}`},
		{"draining", func(r *health.Readiness) { r.AddRequired("policy", ok); r.Drain() }, 503,
			`{"status":"draining","degraded":[],"missing":[]}`},
		{"a fact", func(r *health.Readiness) { r.AddFact("policy", func() string { return "sha256:ab" }) }, 200,
			`{"status":"ready","degraded":[],"missing":[],"policy":"sha256:ab"}`},
		{"a fact cannot hide the status", func(r *health.Readiness) {
			r.AddRequired("policy", broken)
			r.AddFact("status", func() string { return "ready" })
		}, 503,
			`{"status":"not_ready","degraded":[],"missing":["policy"]}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := health.New()
			tt.give(r)
			resp, body := call(t, r.ReadyHandler(), http.MethodGet)
			require.Equal(t, tt.status, resp.StatusCode)
			require.JSONEq(t, tt.want, body)
			require.NotContains(t, body, "hunter2")
			require.Equal(t, "application/json", resp.Header.Get("Content-Type"))
			require.Equal(t, "no-store", resp.Header.Get("Cache-Control"))
		})
	}
}

func TestReadyFollowsTheState(t *testing.T) {
	var has atomic.Bool
	r := health.New()
	r.AddRequired("policy", func() error {
		if has.Load() {
			return nil
		}
		return errors.New("none yet")
	})
	resp, _ := call(t, r.ReadyHandler(), http.MethodGet)
	require.Equal(t, 503, resp.StatusCode)
	has.Store(true)
	resp, _ = call(t, r.ReadyHandler(), http.MethodGet)
	require.Equal(t, 200, resp.StatusCode)
}

func TestLiveDependsOnNothing(t *testing.T) {
	r := health.New()
	r.AddRequired("policy", broken)
	r.Drain()
	resp, body := call(t, r.LiveHandler(), http.MethodGet)
	require.Equal(t, 200, resp.StatusCode)
	require.JSONEq(t, `{"status":"ok"}`, body)
	require.Equal(t, "no-store", resp.Header.Get("Cache-Control"))
}

func TestMethods(t *testing.T) {
	r := health.New()
	for name, h := range map[string]http.Handler{"live": r.LiveHandler(), "ready": r.ReadyHandler()} {
		t.Run(name, func(t *testing.T) {
			resp, body := call(t, h, http.MethodHead)
			require.Equal(t, 200, resp.StatusCode)
			require.Empty(t, body)
			for _, method := range []string{http.MethodPost, http.MethodDelete, http.MethodOptions} {
				resp, body = call(t, h, method)
				require.Equal(t, 405, resp.StatusCode)
				require.Equal(t, "GET, HEAD", resp.Header.Get("Allow"))
				require.Contains(t, body, `"code":"METHOD_NOT_ALLOWED"`)
			}
		})
	}
}

// A check may itself touch the readiness: reporting holds no lock.
func TestConcurrentUse(t *testing.T) {
	r := health.New()
	r.AddRequired("self", func() error { r.AddFact("again", func() string { return "" }); return nil })
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			r.AddOptional("w", ok)
			r.Report()
			r.Drain()
		})
	}
	wg.Wait()
	require.Equal(t, health.Draining, r.Report().Status)
}

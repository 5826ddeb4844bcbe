package e2e

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// backendServer is a server behind the balancer that responds with its name.
type backendServer struct {
	*httptest.Server
	down atomic.Bool
	// seen counts the requests, without health checks.
	seen atomic.Int64
}

func newBackendServer(t *testing.T, name string, handle http.HandlerFunc) *backendServer {
	b := &backendServer{}
	b.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/readyz" && b.down.Load():
			w.WriteHeader(http.StatusServiceUnavailable)
		case r.URL.Path == "/readyz":
		case handle != nil:
			b.seen.Add(1)
			handle(w, r)
		default:
			b.seen.Add(1)
			_, _ = io.WriteString(w, name)
		}
	}))
	t.Cleanup(b.Close)
	return b
}

func sendBody(t *testing.T, method, url string, header ...string) (*http.Response, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader("body"))
	require.NoError(t, err)
	for i := 0; i < len(header); i += 2 {
		req.Header.Add(header[i], header[i+1])
	}
	res, err := freshClient.Do(req)
	require.NoError(t, err)
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	return res, string(body)
}

func respondingServer(t *testing.T, url string) string {
	_, name := sendBody(t, http.MethodPost, url)
	return name
}

// A draining proxy must report that it is not ready long before it refuses requests.
func TestBalancerNoticesWithinTheDrainDelay(t *testing.T) {
	text, err := os.ReadFile(haproxyConfig)
	require.NoError(t, err)
	m := regexp.MustCompile(`check inter (\S+) fall (\d+)`).FindStringSubmatch(string(text))
	require.NotNil(t, m)
	every, err := time.ParseDuration(m[1])
	require.NoError(t, err)
	fall, err := strconv.Atoi(m[2])
	require.NoError(t, err)
	require.NotRegexp(t, `(?m)^\s*stats `, string(text))
	p := loadCompose(t)
	for _, name := range []string{"proxy-1", "proxy-2"} {
		delay, err := time.ParseDuration(value(p.Services[name], "SIGNALBOX_DRAIN_DELAY"))
		require.NoError(t, err)
		require.Greater(t, delay, 2*every*time.Duration(fall), "twice as long, as a check takes time itself")
	}
}

// Names that cannot be resolved yet do not prevent the start, so the containers may
// start in any order.
func TestBalancerTakesTheAddressesOfTheComposeFile(t *testing.T) {
	s := loadCompose(t).Services["balancer"]
	cmd := exec.CommandContext(t.Context(), haproxyBinary(t), "-c", "-f", haproxyConfig)
	for name, v := range s.Environment {
		cmd.Env = append(cmd.Env, name+"="+*v)
	}
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
}

func TestBalancerSkipsServersThatAreNotReady(t *testing.T) {
	t.Parallel()
	one, two := newBackendServer(t, "one", nil), newBackendServer(t, "two", nil)
	h := startHAProxy(t, one.URL, two.URL, newBackendServer(t, "dashboard", nil).URL)
	url := h.url + "/proxy/v1/chat/completions"
	both := func() bool {
		last := respondingServer(t, url)
		return respondingServer(t, url) != last
	}
	require.Eventually(t, both, waitTimeout, pollInterval)

	one.down.Store(true)
	require.Eventually(t, func() bool { return strings.Contains(h.log.String(), "proxy-1 is DOWN") }, waitTimeout, pollInterval)
	before := one.seen.Load()
	for range 20 {
		require.Equal(t, "two", respondingServer(t, url))
	}
	require.Equal(t, before, one.seen.Load())

	one.down.Store(false)
	require.Eventually(t, both, waitTimeout, pollInterval)
}

func TestBalancerRoutesByPath(t *testing.T) {
	t.Parallel()
	proxy, dashboard := newBackendServer(t, "proxy", nil), newBackendServer(t, "dashboard", nil)
	h := startHAProxy(t, proxy.URL, proxy.URL, dashboard.URL)
	for path, want := range map[string]string{
		"/proxy/v1/models": "proxy", "//proxy//v1/models/": "proxy", "/health": "proxy", "/health/": "proxy", "/proxy": "proxy",
		"/": "dashboard", "/api/v1/keys": "dashboard", "/proxying": "dashboard", "/api/proxy/": "dashboard",
	} {
		_, got := sendBody(t, http.MethodGet, h.url+path)
		require.Equal(t, want, got, path)
	}
}

// The balancer skips a server that refuses the connection. If a server accepted the
// request and then failed, it may have acted on it, so the client gets an error.
func TestBalancerSendsAPostOnce(t *testing.T) {
	t.Parallel()
	breaks := func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }
	one, two := newBackendServer(t, "", breaks), newBackendServer(t, "", breaks)
	h := startHAProxy(t, one.URL, two.URL, two.URL)
	res, body := sendBody(t, http.MethodPost, h.url+"/proxy/v1/chat/completions")
	requireUnavailable(t, res, body)
	require.EqualValues(t, 1, one.seen.Load()+two.seen.Load())
}

func TestBalancerSkipsServersThatRefuse(t *testing.T) {
	t.Parallel()
	alive := newBackendServer(t, "alive", nil)
	h := startHAProxy(t, freeAddress(t), alive.URL, freeAddress(t))
	for range 5 {
		require.Equal(t, "alive", respondingServer(t, h.url+"/proxy/v1/chat/completions"))
	}
	res, body := sendBody(t, http.MethodGet, h.url+"/")
	requireUnavailable(t, res, body)
	alive.down.Store(true)
	require.Eventually(t, func() bool { return strings.Contains(h.log.String(), "no server available") }, waitTimeout, pollInterval)
	res, body = sendBody(t, http.MethodPost, h.url+"/proxy/v1/chat/completions")
	requireUnavailable(t, res, body)
}

// requireUnavailable checks that the response has our usual error format.
func requireUnavailable(t *testing.T, res *http.Response, body string) {
	t.Helper()
	require.Equal(t, http.StatusServiceUnavailable, res.StatusCode, body)
	for name, want := range map[string]string{
		"Content-Type": "application/json", "X-Error-Code": "GATEWAY_OVERLOADED", "X-Should-Retry": "true", "Retry-After": "1",
	} {
		require.Equal(t, want, res.Header.Get(name), name)
	}
	var e struct {
		Error, Code string
		Details     map[string]any
	}
	require.NoError(t, json.Unmarshal([]byte(body), &e), body)
	require.NotEmpty(t, e.Error)
	require.Equal(t, "GATEWAY_OVERLOADED", e.Code)
	require.NotEmpty(t, res.Header.Get("X-Request-Id"))
	require.Equal(t, map[string]any{
		"request_id": res.Header.Get("X-Request-Id"), "retryable": true, "retry_after_ms": 1000.0,
	}, e.Details)
}

// With TLS in front, the dashboard still reaches the proxies without it.
func TestBalancerServesTheDashboardWithoutTLS(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	client := tlsClient(writeCertificate(t, dir))
	proxy := newBackendServer(t, "proxy", nil)
	h := startHAProxy(t, proxy.URL, proxy.URL, proxy.URL, "BALANCER_TLS=ssl crt "+dir)
	res, err := client.Get(strings.Replace(h.url, "http://127.0.0.1", "https://localhost", 1) + "/proxy/v1/models")
	require.NoError(t, err)
	require.NoError(t, res.Body.Close())
	require.Equal(t, http.StatusOK, res.StatusCode)
	_, got := sendBody(t, http.MethodPost, h.inner+"/proxy/v1/models")
	require.Equal(t, "proxy", got)
}

func TestBalancerSetsForwardedHeaders(t *testing.T) {
	t.Parallel()
	var got http.Header
	one := newBackendServer(t, "", func(_ http.ResponseWriter, r *http.Request) { got = r.Header.Clone() })
	h := startHAProxy(t, one.URL, one.URL, one.URL)
	sendBody(t, http.MethodPost, h.url+"/proxy/v1/models",
		"X-Forwarded-For", "203.0.113.9", "X-Forwarded-For", "203.0.113.10", "X-Forwarded-Proto", "https",
		"X-Forwarded-Host", "evil", "X-Real-IP", "203.0.113.9", "Forwarded", "for=203.0.113.9", "Authorization", "Bearer k")
	require.Equal(t, []string{"127.0.0.1"}, got.Values("X-Forwarded-For"))
	require.Equal(t, []string{"http"}, got.Values("X-Forwarded-Proto"))
	require.Equal(t, "Bearer k", got.Get("Authorization"))
	for _, name := range []string{"X-Forwarded-Host", "X-Real-IP", "Forwarded"} {
		require.Empty(t, got.Values(name), name)
	}
}

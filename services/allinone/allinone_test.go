package allinone

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
)

func TestFrontHandlerRoutesByPath(t *testing.T) {
	say := func(name string) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(name)) })
	}
	f := frontHandler{proxy: say("edge"), dashboard: say("dashboard")}
	for path, want := range map[string]string{
		"/proxy/v1/models": "edge", "//proxy//v1/models": "edge", "/proxy": "edge", "/health": "edge", "/readyz": "edge", "/readyz/": "edge",
		"/models": "edge", "/chat/completions": "edge", "/openai/deployments/x": "edge", "/": "dashboard", "/api/v1/keys": "dashboard", "/proxying": "dashboard", "/requests/health": "dashboard",
	} {
		w := httptest.NewRecorder()
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.URL.Path = path
		f.ServeHTTP(w, r)
		require.Equal(t, want, w.Body.String(), path)
	}
}

// A web page whose name resolves to this machine is not our own origin.
func TestFrontHandlerRejectsForeignHosts(t *testing.T) {
	ok := http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})
	for host, want := range map[string]int{
		"127.0.0.1:8080": 200, "localhost:8080": 200, "[::1]:8080": 200, "localhost": 200,
		"evil.example:8080": 403, "evil.example": 403, "127.0.0.1.evil.example:8080": 403, "": 403,
	} {
		for private, want := range map[bool]int{true: want, false: 200} {
			w := httptest.NewRecorder()
			r := httptest.NewRequest(http.MethodPost, "/api/v1/register", nil)
			r.Host = host
			frontHandler{proxy: ok, dashboard: ok, loopbackOnly: private}.ServeHTTP(w, r)
			require.Equal(t, want, w.Code, host)
		}
	}
}

func TestGreeting(t *testing.T) {
	first := formatGreeting("http://h", &keyauthv1.BootstrapResponse{Created: true, ClaimToken: "t+1", Key: "sbx_live_k"})
	require.Contains(t, first, "http://h/proxy/v1\n")
	require.Contains(t, first, "http://h/claim?token=t%2B1")
	require.Contains(t, first, "-H 'Authorization: Bearer sbx_live_k'")

	later := formatGreeting("http://h", &keyauthv1.BootstrapResponse{})
	require.NotContains(t, later, "claim")
	require.NotContains(t, later, "sbx_live_")
	require.Contains(t, later, `-H "Authorization: Bearer $SIGNALBOX_KEY"`, "the shell fills it in")
	require.Contains(t, later, "http://h/keys", "where a key comes from")
}

func TestSpansWithContentAreLarge(t *testing.T) {
	c, err := LoadConfig([]string{"--trace-content=true"}, nil)
	require.NoError(t, err)
	require.True(t, c.Process.Telemetry.HasLargeSpans)
}

func TestRegistrationIsOpenOnLoopbackOnly(t *testing.T) {
	tests := []struct{ listen, public, want string }{
		{"127.0.0.1:8080", "", "open"},
		{"localhost:1", "", "open"},
		{"[::1]:1", "http://localhost:1", "open"},
		{"127.0.0.1:8080", "https://signalbox.example.com", "invite"},
		{"0.0.0.0:8080", "", "invite"},
		{":8080", "", "invite"},
		{"192.0.2.1:80", "http://localhost", "invite"},
	}
	for _, tt := range tests {
		c, err := LoadConfig([]string{"--listen", tt.listen, "--public-url", tt.public}, nil)
		require.NoError(t, err)
		require.Equal(t, tt.want, c.Keyauth.Registration, tt)
	}
	for want, args := range map[string][]string{
		"closed": {"--registration", "closed"},
		"invite": {"--trusted-proxies", "127.0.0.1"},
	} {
		c, err := LoadConfig(args, nil)
		require.NoError(t, err)
		require.Equal(t, want, c.Keyauth.Registration)
	}
}

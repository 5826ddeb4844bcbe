package allinone

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
)

func TestFrontTellsClientsFromPeople(t *testing.T) {
	say := func(name string) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(name)) })
	}
	f := front{edge: say("edge"), dashboard: say("dashboard")}
	for path, want := range map[string]string{
		"/proxy/v1/models": "edge", "//proxy//v1/models": "edge", "/proxy": "edge", "/health": "edge", "/readyz": "edge", "/readyz/": "edge",
		"/": "dashboard", "/api/v1/keys": "dashboard", "/proxying": "dashboard", "/requests/health": "dashboard",
	} {
		w := httptest.NewRecorder()
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.URL.Path = path
		f.ServeHTTP(w, r)
		require.Equal(t, want, w.Body.String(), path)
	}
}

func TestGreeting(t *testing.T) {
	first := greeting("http://h", &keyauthv1.BootstrapResponse{Created: true, ClaimToken: "t+1", Key: "sbx_live_k"})
	require.Contains(t, first, "http://h/proxy/v1\n")
	require.Contains(t, first, "http://h/claim?token=t%2B1")
	require.Contains(t, first, "-H 'Authorization: Bearer sbx_live_k'")

	later := greeting("http://h", &keyauthv1.BootstrapResponse{})
	require.NotContains(t, later, "claim")
	require.NotContains(t, later, "sbx_live_")
	require.Contains(t, later, `-H "Authorization: Bearer $KEY"`, "the shell fills it in")
}

func TestRegistrationIsOpenOnLoopbackOnly(t *testing.T) {
	for listen, want := range map[string]string{
		"127.0.0.1:8080": "open", "localhost:1": "open", "[::1]:1": "open",
		"0.0.0.0:8080": "invite", ":8080": "invite", "192.0.2.1:80": "invite",
	} {
		c, err := LoadConfig([]string{"--listen", listen}, nil)
		require.NoError(t, err)
		require.Equal(t, want, c.Keyauth.Registration, listen)
	}
	c, err := LoadConfig([]string{"--registration", "closed"}, nil)
	require.NoError(t, err)
	require.Equal(t, "closed", c.Keyauth.Registration)
}

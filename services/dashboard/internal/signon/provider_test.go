package signon

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDiscoveredAddressesNeedTLS(t *testing.T) {
	good := addresses{"https://a.example/authorize", "https://b.example/token", "https://c.example/keys", "https://a.example/logout"}
	require.NoError(t, good.check("https://a.example"))
	for _, bad := range []string{"", "http://a.example/x", "http://127.0.0.1/x", "javascript:alert(1)//", "https:///x", "https://u:p@a.example/x"} {
		for name, change := range map[string]func(a *addresses){
			"authorization": func(a *addresses) { a.Authorization = bad }, "token": func(a *addresses) { a.Token = bad },
			"keys": func(a *addresses) { a.Keys = bad }, "end session": func(a *addresses) { a.EndSession = bad },
		} {
			a := good
			change(&a)
			require.Equal(t, name == "end session" && bad == "", a.check("https://a.example") == nil, "%s %q", name, bad)
		}
	}
	local := addresses{"http://127.0.0.1:1/authorize", "http://localhost/token", "http://[::1]/keys", ""}
	require.NoError(t, local.check("http://localhost:8000"))
	local.Token = "http://10.0.0.1/token"
	require.Error(t, local.check("http://localhost:8000"))
}

// discoverAt starts a sign-on at an issuer whose discovery document is served by serve.
func discoverAt(t *testing.T, serve func(w http.ResponseWriter, r *http.Request, base string)) error {
	t.Helper()
	var server *httptest.Server
	server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { serve(w, r, server.URL) }))
	t.Cleanup(server.Close)
	p, err := newProvider(Issuer{Name: "acme", Issuer: server.URL, ClientID: "x", secret: "secret"}, &url.URL{Scheme: "https", Host: "s.example"})
	require.NoError(t, err)
	_, err = p.connect(t.Context())
	return err
}

func TestDiscovery(t *testing.T) {
	document := func(w http.ResponseWriter, base, token string) {
		_ = json.NewEncoder(w).Encode(map[string]string{"issuer": base, "authorization_endpoint": base, "token_endpoint": token, "jwks_uri": base})
	}
	require.NoError(t, discoverAt(t, func(w http.ResponseWriter, _ *http.Request, base string) { document(w, base, base) }))
	err := discoverAt(t, func(w http.ResponseWriter, _ *http.Request, base string) { document(w, base, "http://10.0.0.1/token") })
	require.ErrorContains(t, err, "token_endpoint must start with https://")
	err = discoverAt(t, func(w http.ResponseWriter, r *http.Request, base string) {
		if r.URL.Path == "/elsewhere" {
			document(w, base, base)
			return
		}
		http.Redirect(w, r, "/elsewhere", http.StatusFound)
	})
	require.Error(t, err, "a redirect is not followed")
}

package rig

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The balancer spreads requests over all proxies.
func TestBalancer(t *testing.T) {
	var proxies []string
	for _, name := range []string{"a", "b"} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, name) }))
		t.Cleanup(server.Close)
		proxies = append(proxies, strings.TrimPrefix(server.URL, "http://"))
	}
	b, err := StartBalancer(t.Context(), proxies)
	require.NoError(t, err)
	t.Cleanup(b.Stop)
	served := map[string]bool{}
	for range 4 {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+b.Address, nil)
		require.NoError(t, err)
		res, err := http.DefaultClient.Do(req)
		require.NoError(t, err)
		text, err := io.ReadAll(res.Body)
		require.NoError(t, err)
		require.NoError(t, res.Body.Close())
		require.Equal(t, http.StatusOK, res.StatusCode)
		served[string(text)] = true
	}
	require.Len(t, served, 2)
}

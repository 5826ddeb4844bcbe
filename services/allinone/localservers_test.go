package allinone

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/services/dashboard"
)

func TestLocalServersAreFound(t *testing.T) {
	respond := func(status int, body string) string {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method != http.MethodGet || r.URL.Path != "/v1/models" {
				status = http.StatusNotFound
			}
			w.WriteHeader(status)
			_, _ = io.WriteString(w, body)
		}))
		t.Cleanup(s.Close)
		return s.URL + "/v1"
	}
	ollama := respond(200, `{"object":"list","data":[{"id":"llama3.2:3b","object":"model"},{"id":"qwen"}]}`)
	empty := respond(200, `{"data":[]}`)
	got := findLocalServers(t.Context(), []catalog.Provider{
		{ID: "gone", BaseURL: "http://127.0.0.1:1/v1"}, {ID: "ollama", BaseURL: ollama}, {ID: "empty", BaseURL: empty},
		{ID: "other", BaseURL: respond(404, `{"error":"no"}`)}, {ID: "page", BaseURL: respond(200, "<html>")}, {ID: "object", BaseURL: respond(200, `{}`)},
		{ID: "remote", BaseURL: "http://192.0.2.1/v1"}, {ID: "azure"},
	}, time.Minute)
	require.Equal(t, []dashboard.LocalServer{
		{Provider: "ollama", BaseURL: ollama, Models: []string{"llama3.2:3b", "qwen"}}, {Provider: "empty", BaseURL: empty},
	}, got)
}

// The catalog knows the usual ports. Without them, the search finds nothing.
func TestTheCatalogHasLocalServers(t *testing.T) {
	known, err := catalog.Load()
	require.NoError(t, err)
	local := map[string]bool{}
	for _, p := range known.Providers() {
		local[p.ID] = isLoopbackURL(p.BaseURL)
	}
	for _, id := range []string{"ollama", "vllm", "llamacpp", "lmstudio"} {
		require.True(t, local[id], id)
	}
	require.False(t, local["openai"])
}

package traffic

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/deploy/e2e/cmd/bench/canned"
	"github.com/signalbox/signalbox/deploy/e2e/cmd/bench/httpwire"
)

func TestClientReadsNetHTTPServer(t *testing.T) {
	bodies := make(chan string, 1)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		bodies <- string(body)
		w.Header().Set("Connection", "close")
		for range canned.ChunkCount {
			_, _ = io.WriteString(w, "data: {}\n\n")
			w.(http.Flusher).Flush()
		}
		_, _ = io.WriteString(w, "data: [DONE]\n\n")
	}))
	defer server.Close()
	c := &client{address: server.Listener.Addr().String()}
	defer c.close()
	for range 2 {
		_, err := c.do(t.Context(), encodeRequest(c.address, "/", "k", "", "hello"), true)
		require.NoError(t, err)
		require.Equal(t, "hello", <-bodies)
	}
}

func TestCheckResponse(t *testing.T) {
	whole := strings.Repeat("data: {}\n\n", canned.ChunkCount) + "data: [DONE]\n\n"
	for name, c := range map[string]struct {
		status int
		body   string
		stream bool
		want   string
	}{
		"whole stream":    {200, whole, true, ""},
		"whole answer":    {200, `{"usage":{}}`, false, ""},
		"refused":         {503, "busy", false, "status 503: busy"},
		"stream cut off":  {200, whole[:100], true, "incomplete"},
		"stream too long": {200, "data: {}\n\n" + whole, true, "52 events"},
		"another answer":  {200, "{}", false, "no usage"},
	} {
		t.Run(name, func(t *testing.T) {
			err := checkResponse(httpwire.Head{Status: c.status}, []byte(c.body), c.stream)
			if c.want == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, c.want)
		})
	}
}

package e2e

import (
	"encoding/hex"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The collector gets the GenAI spans of a request in the client's trace, with content only by opt-in.
func TestSpansReachTheCollector(t *testing.T) {
	t.Parallel()
	for content, want := range map[string]bool{"false": false, "true": true} {
		t.Run("content "+content, func(t *testing.T) {
			t.Parallel()
			c := newCollector(t)
			b := startWithEnv(t, []string{"OTEL_EXPORTER_OTLP_ENDPOINT=" + c.url, "SIGNALBOX_TRACE_CONTENT=" + content}, t.TempDir())
			req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, b.Base+"/proxy/v1/chat/completions",
				strings.NewReader(`{"model":"sandbox-small","messages":[{"role":"user","content":"a-telling-prompt"}]}`))
			require.NoError(t, err)
			req.Header.Set("Authorization", "Bearer "+b.Key)
			req.Header.Set("Traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
			res, err := edgeClient.Do(req)
			require.NoError(t, err)
			require.NoError(t, res.Body.Close())
			require.Equal(t, http.StatusOK, res.StatusCode)
			b.Terminate() // sends what is left
			require.Equal(t, 0, b.Wait())
			text := c.text()
			for _, part := range []string{"POST /proxy/v1/chat/completions", "chat sandbox-small", "gen_ai.usage.input_tokens", "gen_ai.client.operation.duration"} {
				require.Contains(t, text, part)
			}
			trace, err := hex.DecodeString("0af7651916cd43dd8448eb211c80319c")
			require.NoError(t, err)
			require.Contains(t, text, string(trace), "the client's trace")
			require.Equal(t, want, strings.Contains(text, "a-telling-prompt"))
		})
	}
}

package sse_test

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/services/proxy/internal/sse"
)

// Heartbeats are returned without data, so that the caller notices them. They never hide or
// damage the chunks around them.
func TestHeartbeats(t *testing.T) {
	const chunk = "data: {\"a\":1}\n\n"
	for _, give := range []string{
		": keepalive\n\n", ":\n", "data:\n\n", "data: \n\n", "event: ping\ndata:\n\n", "event: ping\n\n",
		"data: : keepalive\n\n", "data: ping\n\n", "event: ping\ndata: ping\n\n", "data: null\n\n", "data: []\n\n", "data: [ ]\n\n",
		"data: \"ping\"\n\n", "data: 1\n\n", "data: true\n\n", "data: ping\ndata: pong\n\n", "data: [heartbeat]\n\n",
	} {
		beats, payloads := countHeartbeats(t, chunk+give+chunk)
		require.Equal(t, 1, beats, "%q", give)
		require.Equal(t, []string{`{"a":1}`, `{"a":1}`}, payloads, "%q", give)
	}
	for _, give := range []string{"data: ping\n" + chunk, strings.TrimSuffix(chunk, "\n") + "data: ping\n\n", "data: {\"a\":1}\n: x\n\n"} {
		_, payloads := countHeartbeats(t, give)
		require.Equal(t, []string{`{"a":1}`}, payloads, "%q", give)
	}
	for give, want := range map[string]string{
		"event: error\ndata: boom\n\n":      "boom",
		"data: [{\"error\":1}]\n\n":         `[{"error":1}]`,
		"data: [\ndata: {\"error\":1}]\n\n": "[\n{\"error\":1}]",
		"data: {\"choi\n\n":                 `{"choi`,
	} {
		_, payloads := countHeartbeats(t, give)
		require.Equal(t, []string{want}, payloads, "an error is no heartbeat: %q", give)
	}
}

// countHeartbeats reads a stream that ends without [DONE].
func countHeartbeats(t *testing.T, stream string) (beats int, payloads []string) {
	e := sse.NewReader(io.NopCloser(strings.NewReader(stream)))
	for {
		data, err := e.Next()
		if err != nil {
			require.True(t, errors.Is(err, sse.ErrNoDone), "%v", err)
			return beats, payloads
		}
		require.NotNil(t, data)
		if len(data) == 0 {
			beats++
			continue
		}
		payloads = append(payloads, string(data))
	}
}

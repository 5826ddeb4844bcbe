package clitest

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/services/allinone/internal/cli"
	"github.com/signalbox/signalbox/services/allinone/internal/cli/maintenance"
)

// StartGateway starts the gateway as main does. It returns the data directory, the
// base URL and the first key.
func StartGateway(t *testing.T) (data, base, key string) {
	t.Helper()
	data, err := os.MkdirTemp("", "cli") // a short name, for the socket
	require.NoError(t, err)
	shown, out := io.Pipe()
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() {
		// On a busy machine the router can take longer than a request waits for it by default.
		args := []string{"--listen", "127.0.0.1:0", "--data", data, "--decide-timeout", "10s"}
		ended <- maintenance.Serve(ctx, cli.Invocation{Args: args, In: strings.NewReader(""), Out: out, Err: io.Discard})
		_ = out.Close()
	}()
	t.Cleanup(func() {
		stop()
		require.NoError(t, <-ended)
		require.NoError(t, os.RemoveAll(data))
	})
	var greeting strings.Builder
	lines := bufio.NewReader(shown)
	for !strings.Contains(greeting.String(), "curl ") {
		line, err := lines.ReadString('\n')
		require.NoError(t, err, greeting.String())
		greeting.WriteString(line)
	}
	return data, regexp.MustCompile(`http://[0-9.:]+`).FindString(greeting.String()), regexp.MustCompile(`sbx_live_\w+`).FindString(greeting.String())
}

// SendChat sends a request with the key and returns its id.
func SendChat(t *testing.T, base, key, model string) string {
	t.Helper()
	body := `{"model":"` + model + `","messages":[{"role":"user","content":"Say hello"}]}`
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, base+"/proxy/v1/chat/completions", strings.NewReader(body))
	require.NoError(t, err)
	r.Header.Set("Authorization", "Bearer "+key)
	r.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	return resp.Header.Get("X-Request-Id")
}

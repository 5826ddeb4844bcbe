package allinone

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// One-time secrets go to the terminal only, because logs are stored.
func TestLogContainsNoSecrets(t *testing.T) {
	cfg, err := LoadConfig([]string{"--listen", "127.0.0.1:0", "--data", t.TempDir(), "--log-format", "json", "--log-level", "debug"}, nil)
	require.NoError(t, err)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	shown, out := io.Pipe()
	var log bytes.Buffer
	ended := make(chan error, 1)
	go func() {
		err := Run(ctx, cfg, nil, out, &log)
		_ = out.Close()
		ended <- err
	}()
	greeting := readGreeting(t, bufio.NewReader(shown))
	stop()
	rest, err := io.ReadAll(shown)
	require.NoError(t, err)
	require.NoError(t, <-ended)
	require.Contains(t, greeting, "/claim?token=")
	require.NotContains(t, greeting+string(rest), `"level"`)
	require.NotContains(t, log.String(), "sbx_live_")
	require.NotContains(t, log.String(), "/claim")
	require.NotEmpty(t, log.String())
	for line := range strings.SplitSeq(strings.TrimSpace(log.String()), "\n") {
		require.True(t, json.Valid([]byte(line)), line)
	}
}

// readGreeting reads up to the line with the curl command.
func readGreeting(t *testing.T, from *bufio.Reader) string {
	t.Helper()
	var b strings.Builder
	for !strings.Contains(b.String(), "curl ") {
		line, err := from.ReadString('\n')
		require.NoError(t, err, b.String())
		b.WriteString(line)
	}
	return b.String()
}

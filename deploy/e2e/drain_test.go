package e2e

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A graceful shutdown lets a running stream finish: all bytes, [DONE], the record, exit
// code 0.
func TestSigtermDuringAStream(t *testing.T) {
	t.Parallel()
	box := Start(t)
	box.SignInOperator()
	res, err := box.Post(t.Context(), "/chat/completions", `{"model":"auto","stream":true,"messages":[{"role":"user","content":"hi"}],
		"x_sandbox":{"chunks":40,"chunk_ms":20,"text":"abcdefghij"}}`)
	require.NoError(t, err)
	defer func() { _ = res.Body.Close() }()
	first := make([]byte, 1)
	_, err = io.ReadFull(res.Body, first)
	require.NoError(t, err)
	box.Terminate()

	rest, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	text := string(first) + string(rest)
	require.True(t, strings.HasSuffix(text, "data: [DONE]\n\n"), "%s", text)
	require.Equal(t, 40, strings.Count(text, `"content":"`)-strings.Count(text, `"content":""`))
	require.Equal(t, 0, box.Wait())

	rec := box.Restart().SignInOperator().AwaitRecord(res.Header.Get("X-Request-Id"))
	require.Equal(t, "ok", rec.Outcome)
}

// A stream that outlasts the drain limit ends with an error frame.
func TestDrainLimit(t *testing.T) {
	t.Parallel()
	box := Start(t, "--drain-limit", "100ms")
	box.SignInOperator()
	res, err := box.Post(t.Context(), "/chat/completions", `{"model":"auto","stream":true,"messages":[{"role":"user","content":"hi"}],
		"x_sandbox":{"chunks":10000,"chunk_ms":50}}`)
	require.NoError(t, err)
	defer func() { _ = res.Body.Close() }()
	_, err = io.ReadFull(res.Body, make([]byte, 1))
	require.NoError(t, err)
	box.Terminate()
	rest, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	require.Contains(t, string(rest), `data: {"error":"the gateway is shutting down","code":"GATEWAY_OVERLOADED"`)
	require.NotContains(t, string(rest), "[DONE]")
	require.Equal(t, 0, box.Wait())
	rec := box.Restart().SignInOperator().AwaitRecord(res.Header.Get("X-Request-Id"))
	require.Equal(t, "interrupted", rec.Outcome)
}

// A disconnected client is recorded, and its upstream call is cancelled.
func TestClientLeaves(t *testing.T) {
	t.Parallel()
	box := StartAllInOne(t)
	operator := box.SignInOperator()
	res, err := box.Post(t.Context(), "/chat/completions", `{"model":"auto","stream":true,"messages":[{"role":"user","content":"hi"}],
		"x_sandbox":{"chunks":10000,"chunk_ms":50}}`)
	require.NoError(t, err)
	_, err = io.ReadFull(res.Body, make([]byte, 1))
	require.NoError(t, err)
	require.NoError(t, res.Body.Close())
	rec := operator.AwaitRecord(res.Header.Get("X-Request-Id"))
	require.Equal(t, "client_closed", rec.Outcome)
	require.Less(t, time.Duration(rec.LatencyUS)*time.Microsecond, waitTimeout)
	require.Equal(t, http.StatusOK, res.StatusCode)
}

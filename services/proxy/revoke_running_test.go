package proxy_test

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	recordv1 "github.com/signalbox/signalbox/proto/signalbox/record/v1"
	"github.com/signalbox/signalbox/services/proxy"
)

// begin sends a request and returns its response once the first line has arrived.
func (g *rig) begin(body string) (*http.Response, *bufio.Reader) {
	g.t.Helper()
	ctx, cancel := context.WithTimeout(g.t.Context(), patience)
	g.t.Cleanup(cancel)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, g.server.URL+chatPath, strings.NewReader(body))
	require.NoError(g.t, err)
	req.Header.Set("Authorization", "Bearer "+g.key)
	res, err := http.DefaultClient.Do(req)
	require.NoError(g.t, err)
	g.t.Cleanup(func() { _ = res.Body.Close() })
	in := bufio.NewReader(res.Body)
	_, err = in.ReadString('\n')
	require.NoError(g.t, err)
	return res, in
}

// With the setting, a stream ends when its key is revoked, and client and record learn why.
func TestARevokedKeyEndsItsStreams(t *testing.T) {
	g := newRig(t, func(c *proxy.Config) { c.EndRevoked = true })
	_, in := g.begin(strings.Replace(smallChat, "{", `{"stream":true,"x_sandbox":{"hang":true,"break_after":3,"chunk_ms":0},`, 1))
	g.keyauth.revoke(g.key)
	rest, err := io.ReadAll(in)
	require.NoError(t, err)
	require.Contains(t, string(rest), `"code":"AUTH_INVALID_KEY"`)
	require.Contains(t, string(rest), "revoked")
	require.NotContains(t, string(rest), "[DONE]")
	r := g.record()
	require.Equal(t, recordv1.Outcome_OUTCOME_INTERRUPTED, r.GetOutcome())
	require.Equal(t, "AUTH_INVALID_KEY", r.GetCode())
	require.Contains(t, r.GetError(), "revoked while the request was in progress")
	require.Equal(t, "AUTH_INVALID_KEY", r.GetAttempts()[0].GetCode(), "the provider did not fail")
	require.Positive(t, r.GetCostNanoUsd(), "the provider bills what it sent")
}

// Without the setting, a stream runs to its end.
func TestAStreamOutlivesItsKey(t *testing.T) {
	g := newRig(t, nil)
	_, in := g.begin(strings.Replace(smallChat, "{", `{"stream":true,"x_sandbox":{"chunks":20,"chunk_ms":50},`, 1))
	g.keyauth.revoke(g.key)
	require.Eventually(t, func() bool {
		res, _ := g.call(http.MethodGet, modelsPath, "")
		return res.StatusCode == http.StatusUnauthorized
	}, patience, time.Millisecond)
	rest, err := io.ReadAll(in)
	require.NoError(t, err)
	require.Contains(t, string(rest), "[DONE]")
}

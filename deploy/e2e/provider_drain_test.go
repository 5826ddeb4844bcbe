package e2e

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// chatAt sends a short chat to one proxy and returns the status, the code of an error, and the
// route and model that served it.
func (b *Gateway) chatAt(base, model string) (status int, code, route, served string) {
	b.t.Helper()
	req, err := http.NewRequestWithContext(b.t.Context(), http.MethodPost, base+"/proxy/v1/chat/completions",
		strings.NewReader(`{"model":"`+model+`","messages":[{"role":"user","content":"hi"}]}`))
	require.NoError(b.t, err)
	req.Header.Set("Authorization", "Bearer "+b.Key)
	req.Header.Set("Content-Type", "application/json")
	res, err := edgeClient.Do(req)
	if err != nil {
		return 0, err.Error(), "", ""
	}
	defer func() { _ = res.Body.Close() }()
	_, _ = io.Copy(io.Discard, res.Body)
	return res.StatusCode, res.Header.Get("X-Error-Code"), res.Header.Get("X-Signalbox-Route"), res.Header.Get("X-Signalbox-Model")
}

// awaitChatEverywhere waits until every proxy answers a chat with this status.
func (b *Gateway) awaitChatEverywhere(model string, want int) {
	b.t.Helper()
	for _, base := range b.Edges() {
		require.Eventually(b.t, func() bool {
			status, _, _, _ := b.chatAt(base, model)
			return status == want
		}, waitTimeout, pollInterval)
	}
}

func (b *Gateway) requireDrained(model string) {
	b.t.Helper()
	for _, base := range b.Edges() {
		status, code, _, _ := b.chatAt(base, model)
		require.Equal(b.t, []any{http.StatusServiceUnavailable, "NO_ROUTE_AVAILABLE"}, []any{status, code})
	}
}

// A drained model gets no request from any proxy: not after kill -9 of proxies and routers, and
// not while the routers are away. The audit log has the reason and the author.
func TestADrainedModelGetsNoRequests(t *testing.T) {
	t.Parallel()
	for name, start := range map[string]func(*testing.T) *Gateway{
		"all in one": func(t *testing.T) *Gateway { return Start(t) },
		"split":      func(t *testing.T) *Gateway { return StartSplit(t, "--proxies", "2", "--routers", "2") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			box := start(t)
			operator := box.SignInOperator()
			box.awaitChatEverywhere("sandbox-small", http.StatusOK)
			drain := map[string]string{"model": "sandbox-small", "reason": "new rack"}
			status, body := operator.Call(http.MethodPost, "/providers/drain", drain, nil)
			require.Equal(t, http.StatusOK, status, "%s", body)
			box.awaitChatEverywhere("sandbox-small", http.StatusServiceUnavailable)
			box.requireDrained("sandbox-small")
			for _, base := range box.Edges() {
				status, _, route, served := box.chatAt(base, "auto")
				require.Equal(t, []any{http.StatusOK, "policy"}, []any{status, route}, "an operator's constraint")
				require.NotEqual(t, "sandbox-small", served)
			}
			if name == "split" {
				box = box.replaceControlPlane()
			} else {
				box.Kill()
				box.Wait()
				box = box.Restart()
				operator = box.SignInOperator()
			}
			box.requireDrained("sandbox-small")

			status, body = operator.Call(http.MethodPost, "/providers/resume", map[string]string{"model": "sandbox-small"}, nil)
			require.Equal(t, http.StatusNoContent, status, "%s", body)
			box.awaitChatEverywhere("sandbox-small", http.StatusOK)
			requireDrainAudited(t, operator)
		})
	}
}

// replaceControlPlane kills the proxies while the routers are stopped, so that they start
// without a router, and then the routers.
func (b *Gateway) replaceControlPlane() *Gateway {
	b.t.Helper()
	require.Eventually(b.t, func() bool {
		for _, name := range []string{"proxy-1", "proxy-2"} {
			kept, _ := os.ReadFile(filepath.Join(readProcessEnv(b.pid(name), "SIGNALBOX_DATA"), "snapshots", "drains.json"))
			if !strings.Contains(string(kept), "sandbox-small") {
				return false
			}
		}
		return true
	}, waitTimeout, pollInterval)
	routers := []string{"router", "router-2"}
	for _, name := range routers {
		require.NoError(b.t, syscall.Kill(b.running(name), syscall.SIGSTOP))
	}
	b.replaceProxies()
	b.requireDrained("sandbox-small")
	for _, name := range routers {
		b.kill(name)
	}
	for _, base := range b.Edges() {
		require.Eventually(b.t, func() bool {
			res, err := edgeClient.Get(base + "/readyz") //nolint:noctx // the client has a timeout
			if err != nil {
				return false
			}
			defer func() { _ = res.Body.Close() }()
			var state struct{ Degraded []string }
			return json.NewDecoder(res.Body).Decode(&state) == nil && len(state.Degraded) == 0
		}, waitTimeout, pollInterval)
	}
	return b
}

func requireDrainAudited(t *testing.T, operator *APIClient) {
	t.Helper()
	var log struct {
		Items []struct {
			Action, Email, Subject string
			After                  map[string]any
		}
	}
	status, body := operator.Call(http.MethodGet, "/audit?action=provider", nil, &log)
	require.Equal(t, http.StatusOK, status, "%s", body)
	require.Len(t, log.Items, 2)
	require.Equal(t, "provider.resume", log.Items[0].Action)
	drained := log.Items[1]
	require.Equal(t, []any{"provider.drain", "sandbox-small", "new rack"}, []any{drained.Action, drained.Subject, drained.After["reason"]})
	require.NotEmpty(t, drained.Email)
}

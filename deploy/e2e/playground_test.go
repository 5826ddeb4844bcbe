package e2e

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// openRun starts a run of the playground and returns its response.
func (a *APIClient) openRun(ctx context.Context, body string) *http.Response {
	a.t.Helper()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, a.base+"/api/v1/playground", strings.NewReader(`{"body":`+body+`}`))
	require.NoError(a.t, err)
	r.Header.Set("Content-Type", "application/json")
	res, err := a.client.Do(r)
	require.NoError(a.t, err)
	a.t.Cleanup(func() { _ = res.Body.Close() })
	return res
}

// playgroundRecord holds the fields that tell a run from other requests.
type playgroundRecord struct {
	KeyName string `json:"key_name"`
	Agent   string
	Outcome string
	Status  int
}

func (a *APIClient) readRun(id string) (r playgroundRecord) {
	a.AwaitRecord(id)
	status, body := a.Call(http.MethodGet, "/requests/"+id, nil, &r)
	require.Equal(a.t, http.StatusOK, status, "%s", body)
	return r
}

// A member tries a request without a key in the browser. The proxy streams, limits and
// records it like every other request.
func TestPlaygroundRunsAreRequests(t *testing.T) {
	forEachDeployment(t, func(t *testing.T, start func(*testing.T, ...string) *Gateway) {
		box := start(t)
		here := newTenant(t, box, "playhere")
		member := here.people["member"].APIClient

		res := member.openRun(t.Context(), `{"model":"auto","stream":true,"messages":[{"role":"user","content":"hi"}]}`)
		require.Equal(t, http.StatusOK, res.StatusCode)
		require.Equal(t, "text/event-stream", strings.Split(res.Header.Get("Content-Type"), ";")[0])
		require.NotEmpty(t, res.Header.Get("X-Signalbox-Model"))
		all, err := io.ReadAll(res.Body)
		require.NoError(t, err)
		require.Contains(t, string(all), "data: [DONE]")
		require.NotContains(t, string(all), "sbx_live_", "the key stays on the server")
		run := member.readRun(res.Header.Get("X-Request-Id"))
		require.Contains(t, run.KeyName, "Playground: ")
		require.Equal(t, playgroundRecord{run.KeyName, "playground", "ok", 200}, run)

		// The browser leaves in the middle of a response.
		ctx, leave := context.WithCancel(t.Context())
		res = member.openRun(ctx, `{"model":"auto","stream":true,"messages":[{"role":"user","content":"hi"}],"x_sandbox":{"hang":true,"break_after":2}}`)
		require.Equal(t, http.StatusOK, res.StatusCode)
		_, err = bufio.NewReader(res.Body).ReadString('\n')
		require.NoError(t, err)
		leave()
		require.Equal(t, "client_closed", member.readRun(res.Header.Get("X-Request-Id")).Outcome)

		// The limits of the account apply.
		owner := here.people["owner"].APIClient
		status, body := owner.Call(http.MethodPatch, "/account", map[string]any{"limits": map[string]any{"requests_per_minute": 1}}, nil)
		require.Equal(t, http.StatusOK, status, "%s", body)
		require.Eventually(t, func() bool {
			res := member.openRun(t.Context(), `{"model":"auto","messages":[{"role":"user","content":"hi"}]}`)
			return res.StatusCode == http.StatusTooManyRequests && res.Header.Get("X-Error-Code") == "RATE_LIMIT_EXCEEDED"
		}, waitTimeout, pollInterval)

		res = here.people["viewer"].openRun(t.Context(), `{"model":"auto","messages":[]}`)
		require.Equal(t, http.StatusForbidden, res.StatusCode)
		require.Equal(t, "AUTH_FORBIDDEN", res.Header.Get("X-Error-Code"))
		var keys struct{ Items []struct{ Name string } }
		status, body = owner.Call(http.MethodGet, "/keys", nil, &keys)
		require.Equal(t, http.StatusOK, status, "%s", body)
		for _, k := range keys.Items {
			require.NotContains(t, k.Name, "Playground")
		}
	})
}

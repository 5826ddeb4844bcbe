package e2e

import (
	"net/http"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// One proxy after the other can be drained and replaced without a failed request, and all
// of them serve.
func TestProxiesAreReplacedUnderLoad(t *testing.T) {
	t.Parallel()
	r := newRig(t, StartSplit, "--proxies", "4", "--drain-delay", "2s")
	r.runUnderLoad(func(e *episode) {
		for i, name := range []string{"proxy-1", "proxy-2"} {
			e.awaitSuccesses(20)
			require.NoError(t, syscall.Kill(e.box.PIDs[name], syscall.SIGTERM), name)
			require.Eventually(t, func() bool { return !ready(t, e.box.Proxies[i]) }, waitTimeout, pollInterval, "it drains")
			require.Eventually(t, func() bool { return ready(t, e.box.Proxies[i]) }, waitTimeout, pollInterval, "another takes its place")
			e.awaitSuccesses(20)
		}
	})
	require.GreaterOrEqual(t, producers(r.operator), 4, "requests are spread")
}

// producers counts the proxies whose records are in the ledger without a gap.
func producers(operator *APIClient) int {
	operator.t.Helper()
	var seen struct {
		Missing   int
		Producers []struct{ Stored, Missing int }
	}
	status, body := operator.Call(http.MethodGet, "/completeness", nil, &seen)
	require.Equal(operator.t, http.StatusOK, status, "%s", body)
	require.Zero(operator.t, seen.Missing, "%s", body)
	for _, p := range seen.Producers {
		require.Zero(operator.t, p.Missing)
	}
	return len(seen.Producers)
}

func ready(t *testing.T, base string) bool {
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, base+"/readyz", nil)
	require.NoError(t, err)
	res, err := edgeClient.Do(req)
	if err != nil {
		return false
	}
	_ = res.Body.Close()
	return res.StatusCode == http.StatusOK
}

// A key created in the dashboard works on every proxy, and stops working on every proxy
// when it is revoked.
func TestKeysAreKnownEverywhere(t *testing.T) {
	t.Parallel()
	box := StartSplit(t)
	operator := box.SignInOperator()
	var made struct{ ID, Key string }
	status, body := operator.Call(http.MethodPost, "/keys", map[string]string{"name": "everywhere"}, &made)
	require.Equal(t, http.StatusCreated, status, "%s", body)
	box.Key = made.Key
	everywhere := func(status int) func() bool {
		return func() bool {
			for _, base := range box.Proxies {
				if statusAt(t, base, made.Key) != status {
					return false
				}
			}
			return true
		}
	}
	began := time.Now()
	require.Eventually(t, everywhere(http.StatusOK), waitTimeout, pollInterval)
	t.Logf("known to %d proxies %s after it was made", len(box.Proxies), time.Since(began))
	status, body = operator.Call(http.MethodDelete, "/keys/"+made.ID, nil, nil)
	require.Less(t, status, 300, "%s", body)
	began = time.Now()
	require.Eventually(t, everywhere(http.StatusUnauthorized), waitTimeout, pollInterval)
	t.Logf("refused by %d proxies %s after it was revoked", len(box.Proxies), time.Since(began))
}

func statusAt(t *testing.T, base, key string) int {
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, base+"/proxy/v1/models", nil)
	require.NoError(t, err)
	req.Header.Set("Authorization", "Bearer "+key)
	res, err := edgeClient.Do(req)
	require.NoError(t, err)
	_ = res.Body.Close()
	return res.StatusCode
}

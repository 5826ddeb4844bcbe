package e2e

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// chatAs sends shortChat as an end user. It returns the status, the id of the request and the
// details of an error.
func chatAs(t *testing.T, base, key, user string) (status int, id string, details map[string]any) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, base+"/proxy/v1/chat/completions", strings.NewReader(shortChat))
	require.NoError(t, err)
	req.Header.Set("Authorization", "Bearer "+key)
	if user != "" {
		req.Header.Set("X-Signalbox-User", user)
	}
	res, err := edgeClient.Do(req)
	require.NoError(t, err)
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	var failure struct{ Details map[string]any }
	require.NoError(t, json.Unmarshal(body, &failure))
	return res.StatusCode, res.Header.Get("X-Request-Id"), failure.Details
}

// setBudget sets a group budget through the API.
func (a *APIClient) setBudget(body map[string]any) {
	a.t.Helper()
	status, answer := a.Call(http.MethodPost, "/budgets", body, nil)
	require.Equal(a.t, http.StatusOK, status, "%s", answer)
}

// Each user has a prepaid amount on all proxies and keys together. A key with a pinned user
// spends that user's amount, whatever its client says.
func TestGroupBudgetAppliesOnEveryProxy(t *testing.T) {
	forEachDeployment(t, func(t *testing.T, start func(*testing.T, ...string) *Gateway) {
		box := start(t)
		cost := box.priceOfShortChat()
		owner := box.register("grouped")
		limit := 20 * cost
		owner.setBudget(map[string]any{"name": "users", "kind": "user", "value": "*", "amounts": map[string]any{"nano_usd_total": limit}})
		free, pinned := owner.makeKey(map[string]any{}), owner.makeKey(map[string]any{"user": "ada", "agent": "ci-bot"})
		box.AwaitKey(free.Key)
		box.AwaitKey(pinned.Key)
		var served []string
		for _, base := range box.Edges() {
			require.Eventually(t, func() bool {
				status, id, details := chatAs(t, base, free.Key, "ada")
				if status == http.StatusOK {
					served = append(served, id)
					return false
				}
				require.Equal(t, http.StatusPaymentRequired, status)
				require.Equal(t, "users", details["budget"])
				require.Equal(t, "total", details["window"])
				return true
			}, waitTimeout, pollInterval)
			status, refusal, _ := chatAs(t, base, pinned.Key, "ben")
			require.Equal(t, http.StatusPaymentRequired, status)
			r := owner.AwaitRecord(refusal)
			require.Equal(t, "rejected", r.Outcome)
			require.Equal(t, "ada", r.User)
			require.Equal(t, "ci-bot", r.Agent)
			for _, user := range []string{"ben", ""} {
				status, _, _ := chatAs(t, base, free.Key, user)
				require.Equal(t, http.StatusOK, status, "user %q", user)
			}
		}
		sum := int64(0)
		for _, id := range served {
			sum += *owner.AwaitRecord(id).Cost
		}
		require.LessOrEqual(t, sum, limit+cost, "nothing ran beside the last one")
		require.Greater(t, sum, limit/2)

		owner.setBudget(map[string]any{"name": "users", "kind": "user", "value": "*", "amounts": map[string]any{"nano_usd_total": 100 * limit}})
		for _, base := range box.Edges() {
			require.Eventually(t, func() bool {
				status, _, _ := chatAs(t, base, pinned.Key, "")
				return status == http.StatusOK
			}, waitTimeout, pollInterval)
		}
	})
}

// An exhausted group budget stays exhausted after the process was killed.
func TestGroupBudgetSurvivesAKill(t *testing.T) {
	t.Parallel()
	box := Start(t)
	owner := box.SignInOperator()
	key := owner.makeKey(map[string]any{"tags": []string{"team"}})
	amounts := map[string]any{"nano_usd_per_week": 10 * box.priceOfShortChat()}
	owner.setBudget(map[string]any{"name": "team", "kind": "tag", "value": "team", "amounts": amounts})
	used := func(base string) func() bool {
		return func() bool { return sendShortChat(t, base, key.Key).StatusCode == http.StatusPaymentRequired }
	}
	require.Eventually(t, used(box.Base), waitTimeout, pollInterval)
	box.Kill()
	next := box.Restart()
	require.Eventually(t, used(next.Base), waitTimeout, pollInterval)
	require.True(t, used(next.Base)())
}

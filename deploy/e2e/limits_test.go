package e2e

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// shortChat asks for little, so that what is reserved is little.
const shortChat = `{"model":"sandbox-small","max_tokens":8,"messages":[{"role":"user","content":"hi"}]}`

// briefly asks an edge for a short answer.
func briefly(t *testing.T, base, key string) *http.Response {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, base+"/proxy/v1/chat/completions", strings.NewReader(shortChat))
	require.NoError(t, err)
	req.Header.Set("Authorization", "Bearer "+key)
	res, err := edgeClient.Do(req)
	require.NoError(t, err)
	require.NoError(t, res.Body.Close())
	return res
}

// price is what a short answer costs.
func (b *Gateway) price() int64 {
	b.t.Helper()
	res := briefly(b.t, b.Base, b.Key)
	require.Equal(b.t, http.StatusOK, res.StatusCode)
	cost := b.SignInOperator().AwaitRecord(res.Header.Get("X-Request-Id")).Cost
	require.Positive(b.t, *cost)
	return *cost
}

// until asks all edges in turn until one refuses, and returns how many did not.
func (b *Gateway) until(key string, most int) (served int, refusal *http.Response) {
	b.t.Helper()
	edges := b.edges()
	for n := range most + 1 {
		res := briefly(b.t, edges[n%len(edges)], key)
		if res.StatusCode != http.StatusOK {
			return n, res
		}
	}
	b.t.Fatalf("%d requests were served, and none refused", most+1)
	return 0, nil
}

// change edits something of an account by the API.
func (a *APIClient) change(path string, body map[string]any) {
	a.t.Helper()
	status, answer := a.Call(http.MethodPatch, path, body, nil)
	require.Equal(a.t, http.StatusOK, status, "%s", answer)
}

// All edges together hold a key to its limit, and the ledger has the refusal.
func TestARateIsKeptEverywhere(t *testing.T) {
	forEachDeployment(t, func(t *testing.T, start func(*testing.T, ...string) *Gateway) {
		box := start(t)
		owner := box.SignInOperator()
		key := owner.makeKey(map[string]any{"limits": map[string]any{"requests_per_minute": 5}})
		served, refusal := box.until(key.Key, 10) // a slow machine gets back one each 12 s
		require.GreaterOrEqual(t, served, 5)
		require.Equal(t, http.StatusTooManyRequests, refusal.StatusCode)
		require.Equal(t, "RATE_LIMIT_EXCEEDED", refusal.Header.Get("X-Error-Code"))
		require.Equal(t, "5", refusal.Header.Get("X-Ratelimit-Limit-Requests"))
		require.Equal(t, "0", refusal.Header.Get("X-Ratelimit-Remaining-Requests"))
		require.NotEmpty(t, refusal.Header.Get("Retry-After"))
		r := owner.AwaitRecord(refusal.Header.Get("X-Request-Id"))
		require.Equal(t, "rejected", r.Outcome)
		require.Equal(t, "RATE_LIMIT_EXCEEDED", r.Code)

		owner.change("/keys/"+key.ID, map[string]any{"limits": map[string]any{"requests_per_minute": 0}})
		for _, base := range box.edges() {
			require.Eventually(t, func() bool { return briefly(t, base, key.Key).StatusCode == http.StatusOK }, waitTimeout, pollInterval)
		}
	})
}

// What the keys of an account have used counts against its budget, until it has
// another.
func TestABudgetOfAnAccountIsKeptEverywhere(t *testing.T) {
	forEachDeployment(t, func(t *testing.T, start func(*testing.T, ...string) *Gateway) {
		box := start(t)
		cost := box.price()
		owner := box.NewVisitor()
		status, body := owner.Call(http.MethodPost, "/register", map[string]string{
			"email": strings.ToLower(strings.NewReplacer("/", "-", "_", "-").Replace(t.Name())) + "@example.com", "password": OperatorPassword, "name": "limited",
		}, nil)
		require.Less(t, status, 300, "%s", body)
		limit := 20 * cost
		owner.change("/account", map[string]any{"limits": map[string]any{"nano_usd_per_month": limit}})
		first, second := owner.makeKey(map[string]any{}), owner.makeKey(map[string]any{})
		for _, base := range box.edges() {
			require.Eventually(t, func() bool { return briefly(t, base, first.Key).StatusCode == http.StatusPaymentRequired }, waitTimeout, pollInterval)
		}
		refusal := briefly(t, box.Base, second.Key)
		require.Equal(t, http.StatusPaymentRequired, refusal.StatusCode, "of all keys together")
		require.Equal(t, "BUDGET_EXCEEDED", refusal.Header.Get("X-Error-Code"))
		require.Equal(t, "false", refusal.Header.Get("X-Should-Retry"))
		require.NotEmpty(t, refusal.Header.Get("Retry-After"))
		owner.AwaitRecord(refusal.Header.Get("X-Request-Id"))
		sum := int64(0)
		for _, r := range owner.ListRecords() {
			if r.Cost != nil {
				sum += *r.Cost
			}
		}
		require.LessOrEqual(t, sum, limit+cost, "nothing ran beside the last one")
		require.Greater(t, sum, limit/2)

		owner.change("/account", map[string]any{"limits": map[string]any{"nano_usd_per_month": 100 * limit}})
		for _, base := range box.edges() {
			require.Eventually(t, func() bool { return briefly(t, base, second.Key).StatusCode == http.StatusOK }, waitTimeout, pollInterval)
		}
	})
}

// A budget that is used up stays so, whatever happens to the process.
func TestABudgetOutlivesAKill(t *testing.T) {
	box := Start(t)
	owner := box.SignInOperator()
	key := owner.makeKey(map[string]any{"budget": map[string]any{"nano_usd_per_day": 10 * box.price()}})
	require.Eventually(t, func() bool { return briefly(t, box.Base, key.Key).StatusCode == http.StatusPaymentRequired }, waitTimeout, pollInterval)
	box.Kill()
	next := box.Restart()
	require.Eventually(t, func() bool { return briefly(t, next.Base, key.Key).StatusCode == http.StatusPaymentRequired }, waitTimeout, pollInterval)
	require.Equal(t, http.StatusPaymentRequired, briefly(t, next.Base, key.Key).StatusCode)
}

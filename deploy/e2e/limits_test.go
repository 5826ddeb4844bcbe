package e2e

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// shortChat has a small token limit, so that little is reserved.
const shortChat = `{"model":"sandbox-small","max_tokens":8,"messages":[{"role":"user","content":"hi"}]}`

// sendShortChat sends shortChat to a proxy.
func sendShortChat(t *testing.T, base, key string) *http.Response {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, base+"/proxy/v1/chat/completions", strings.NewReader(shortChat))
	require.NoError(t, err)
	req.Header.Set("Authorization", "Bearer "+key)
	res, err := edgeClient.Do(req)
	require.NoError(t, err)
	require.NoError(t, res.Body.Close())
	return res
}

// priceOfShortChat returns the cost of a response to shortChat.
func (b *Gateway) priceOfShortChat() int64 {
	b.t.Helper()
	res := sendShortChat(b.t, b.Base, b.Key)
	require.Equal(b.t, http.StatusOK, res.StatusCode)
	cost := b.SignInOperator().AwaitRecord(res.Header.Get("X-Request-Id")).Cost
	require.Positive(b.t, *cost)
	return *cost
}

// sendUntilRejected sends requests to all proxies in turn until one rejects, and returns
// the number of served requests.
func (b *Gateway) sendUntilRejected(key string, most int) (served int, refusal *http.Response) {
	b.t.Helper()
	b.AwaitKey(key)
	edges := b.Edges()
	for n := range most + 1 {
		res := sendShortChat(b.t, edges[n%len(edges)], key)
		if res.StatusCode != http.StatusOK {
			return n, res
		}
	}
	b.t.Fatalf("%d requests were served, and none refused", most+1)
	return 0, nil
}

// change edits a part of an account through the API.
func (a *APIClient) change(path string, body map[string]any) {
	a.t.Helper()
	status, answer := a.Call(http.MethodPatch, path, body, nil)
	require.Equal(a.t, http.StatusOK, status, "%s", answer)
}

// register creates an account that no other test uses.
func (b *Gateway) register(name string) *APIClient {
	b.t.Helper()
	owner := b.NewVisitor()
	email := strings.ToLower(strings.NewReplacer("/", "-", "_", "-").Replace(b.t.Name())) + "@example.com"
	status, body := owner.CallWithPassword("/register", map[string]string{"email": email, "password": OperatorPassword, "name": name}, nil)
	require.Less(b.t, status, 300, "%s", body)
	return owner
}

// All proxies together enforce the limit of a key, and the ledger has the rejected
// request.
func TestRateLimitAppliesOnEveryProxy(t *testing.T) {
	forEachDeployment(t, func(t *testing.T, start func(*testing.T, ...string) *Gateway) {
		box := start(t)
		owner := box.register("limited")
		key := owner.makeKey(map[string]any{"limits": map[string]any{"requests_per_minute": 5}})
		served, refusal := box.sendUntilRejected(key.Key, 10) // a slow machine gets back one each 12 s
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
		for _, base := range box.Edges() {
			require.Eventually(t, func() bool { return sendShortChat(t, base, key.Key).StatusCode == http.StatusOK }, waitTimeout, pollInterval)
		}
	})
}

// The spend of all keys counts against the account's budget, until the budget changes.
func TestAccountBudgetAppliesOnEveryProxy(t *testing.T) {
	forEachDeployment(t, func(t *testing.T, start func(*testing.T, ...string) *Gateway) {
		box := start(t)
		cost := box.priceOfShortChat()
		owner := box.register("limited")
		limit := 20 * cost
		owner.change("/account", map[string]any{"limits": map[string]any{"nano_usd_per_month": limit}})
		first, second := owner.makeKey(map[string]any{}), owner.makeKey(map[string]any{})
		for _, base := range box.Edges() {
			require.Eventually(t, func() bool { return sendShortChat(t, base, first.Key).StatusCode == http.StatusPaymentRequired }, waitTimeout, pollInterval)
		}
		box.AwaitKey(second.Key)
		refusal := sendShortChat(t, box.Base, second.Key)
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
		for _, base := range box.Edges() {
			require.Eventually(t, func() bool { return sendShortChat(t, base, second.Key).StatusCode == http.StatusOK }, waitTimeout, pollInterval)
		}
	})
}

// An exhausted budget stays exhausted after the process was killed.
func TestBudgetSurvivesAKill(t *testing.T) {
	t.Parallel()
	box := Start(t)
	owner := box.SignInOperator()
	avoidMidnight(t, time.Minute)
	key := owner.makeKey(map[string]any{"budget": map[string]any{"nano_usd_per_day": 10 * box.priceOfShortChat()}})
	require.Eventually(t, func() bool { return sendShortChat(t, box.Base, key.Key).StatusCode == http.StatusPaymentRequired }, waitTimeout, pollInterval)
	box.Kill()
	next := box.Restart()
	require.Eventually(t, func() bool { return sendShortChat(t, next.Base, key.Key).StatusCode == http.StatusPaymentRequired }, waitTimeout, pollInterval)
	require.Equal(t, http.StatusPaymentRequired, sendShortChat(t, next.Base, key.Key).StatusCode)
}

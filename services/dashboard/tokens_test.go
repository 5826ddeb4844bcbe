package dashboard_test

import (
	"net/http"
	"os"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

// newToken creates a token and returns it.
func (b *browser) newToken(scopes string) string {
	b.h.t.Helper()
	a := b.api("POST", "/tokens", `{"name":"ci","scopes":[`+scopes+`]}`)
	require.Equal(b.h.t, http.StatusCreated, a.status, a.body)
	return a.json(b.h.t)["token"].(string)
}

// withToken sends a request without cookies.
func (h *testEnv) withToken(token, method, path, body string) response {
	return h.browser().send(method, path, body, map[string]string{"Authorization": "Bearer " + token, "Content-Type": "application/json"})
}

func TestATokenCallsTheAPIAsItsUser(t *testing.T) {
	h := newTestEnv(t, "")
	b, account := h.registerUser("a@example.com")
	token := b.newToken(`"read","keys"`)
	a := h.withToken(token, "GET", "/api/v1/session", "")
	require.Equal(t, account, a.json(t)["account"].(map[string]any)["id"])
	require.Equal(t, http.StatusCreated, h.withToken(token, "POST", "/api/v1/keys", `{"name":"from ci"}`).status)
	require.Empty(t, h.withToken(token, "GET", "/api/v1/tokens", "").json(t)["items"].([]any)[0].(map[string]any)["token"])

	other := h.browser() // a token wins over the session of another user
	other.api("POST", "/register", `{"email":"b@example.com","password":"correct horse"}`)
	a = other.send("GET", "/api/v1/session", "", map[string]string{"Authorization": "bearer " + token})
	require.Equal(t, account, a.json(t)["account"].(map[string]any)["id"])
	a = other.send("GET", "/api/v1/session", "", map[string]string{"Authorization": "Basic abc"})
	require.NotEqual(t, account, a.json(t)["account"].(map[string]any)["id"])

	require.Equal(t, http.StatusNoContent, b.api("DELETE", "/tokens/tok_1", "").status)
	h.withToken(token, "GET", "/api/v1/session", "").requireError(t, http.StatusUnauthorized, "SESSION_REQUIRED")
}

// TestTokensNeedTheScopeOfARoute calls every route with a token of all other scopes.
// internal/web compares the list of scopes with the routes.
func TestTokensNeedTheScopeOfARoute(t *testing.T) {
	h := newTestEnv(t, "")
	b := h.claimOperator()
	without := map[string]string{
		"read": b.newToken(`"write","keys","policy"`), "write": b.newToken(`"read","keys","policy"`),
		"keys": b.newToken(`"read","write","policy"`), "policy": b.newToken(`"read","write","keys"`),
		"none": b.newToken(`"read","write","keys","policy"`),
	}
	list, err := os.ReadFile("testdata/token_scopes.txt")
	require.NoError(t, err)
	for _, m := range regexp.MustCompile(`(?m)^(\w+) +([A-Z]+) +(/\S*)$`).FindAllStringSubmatch(string(list), -1) {
		details := h.withToken(without[m[1]], m[2], m[3], "{}").requireError(t, http.StatusForbidden, "AUTH_FORBIDDEN")
		if m[1] != "none" {
			require.Equal(t, m[1], details["needed_scope"], m[0])
		}
	}
}

package dashboard_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

// again signs the user in with another browser.
func (h *testEnv) again(email, password string) *browser {
	b := h.browser()
	a := b.api("POST", "/login", `{"email":"`+email+`","password":"`+password+`"}`)
	require.Equal(h.t, http.StatusOK, a.status, a.body)
	return b
}

func TestSessionsAreListedAndEnded(t *testing.T) {
	h := newTestEnv(t, "")
	b, _ := h.registerUser("a@example.com")
	phone, desk := h.again("a@example.com", "correct horse"), h.again("a@example.com", "correct horse")
	items := b.api("GET", "/sign-ins", "").json(t)["items"].([]any)
	require.Len(t, items, 3)
	require.Equal(t, map[string]any{
		"id": "ses_1", "created_at": "2026-11-01T08:00:00.000000Z", "expires_at": "2026-11-01T08:00:00.000000Z", "client": "", "current": true,
	}, items[2])
	require.Equal(t, "Go-http-client/1.1 127.0.0.1", items[0].(map[string]any)["client"])
	require.Equal(t, false, items[0].(map[string]any)["current"])

	a := b.api("DELETE", "/sign-ins/ses_2", "")
	require.Equal(t, http.StatusNoContent, a.status)
	require.Empty(t, a.header.Get("Set-Cookie"), "it is another's cookie")
	phone.api("GET", "/session", "").requireError(t, http.StatusUnauthorized, "SESSION_REQUIRED")
	b.api("DELETE", "/sign-ins/ses_2", "").requireError(t, http.StatusNotFound, "NOT_FOUND")
	require.Equal(t, http.StatusNoContent, b.api("DELETE", "/sign-ins", "").status)
	desk.api("GET", "/session", "").requireError(t, http.StatusUnauthorized, "SESSION_REQUIRED")
	require.Equal(t, http.StatusOK, b.api("GET", "/session", "").status)
	require.Contains(t, b.api("DELETE", "/sign-ins/ses_1", "").header.Get("Set-Cookie"), "Max-Age=0")
	require.Empty(t, h.accounts.sessions)
}

// TestASignInEndsTheSessionBefore checks that no orphaned session stays alive.
func TestASignInEndsTheSessionBefore(t *testing.T) {
	h := newTestEnv(t, "")
	b, _ := h.registerUser("a@example.com")
	b.api("POST", "/login", `{"email":"a@example.com","password":"wrong"}`).requireError(t, http.StatusUnauthorized, "LOGIN_FAILED")
	require.Contains(t, h.accounts.sessions, "token-1", "a failed sign-in ends nothing")
	a := b.api("POST", "/login", credentials)
	require.Contains(t, a.header.Get("Set-Cookie"), "signalbox_session=token-2;")
	require.NotContains(t, h.accounts.sessions, "token-1")
	require.Len(t, h.accounts.sessions, 1)
}

func TestAPasswordIsChanged(t *testing.T) {
	h := newTestEnv(t, "")
	b, _ := h.registerUser("a@example.com")
	other := h.again("a@example.com", "correct horse")
	details := b.api("POST", "/password", `{"current":"wrong","password":"battery staple"}`).requireError(t, http.StatusBadRequest, "INVALID_REQUEST")
	require.Equal(t, "current", details["param"])
	details = b.api("POST", "/password", `{"current":"correct horse","password":"x","user_id":"usr_2"}`).
		requireError(t, http.StatusBadRequest, "INVALID_REQUEST")
	require.Equal(t, "user_id", details["param"])
	a := b.api("POST", "/password", `{"current":"correct horse","password":"battery staple"}`)
	require.Equal(t, http.StatusNoContent, a.status)
	require.Contains(t, a.header.Get("Set-Cookie"), "signalbox_session=token-3;")
	require.Equal(t, http.StatusOK, b.api("GET", "/session", "").status)
	h.browser().sendCookie("token-1", "GET", "/api/v1/session").requireError(t, http.StatusUnauthorized, "SESSION_REQUIRED")
	other.api("GET", "/session", "").requireError(t, http.StatusUnauthorized, "SESSION_REQUIRED")
	h.again("a@example.com", "battery staple")
}

func TestAPasswordIsSetWithALink(t *testing.T) {
	h := newTestEnv(t, "")
	h.registerUser("a@example.com")
	h.accounts.invites[resetToken] = &invite{email: "a@example.com"}
	b := h.browser()
	b.api("POST", "/password/set", `{"token":"no","password":"battery staple"}`).requireError(t, http.StatusForbidden, "TOKEN_INVALID")
	a := b.api("POST", "/password/set", `{"token":"`+resetToken+`","password":"battery staple"}`)
	require.Equal(t, "a@example.com", a.json(t)["user"].(map[string]any)["email"])
	require.Equal(t, http.StatusOK, b.api("GET", "/session", "").status)
}

package dashboard_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
	"github.com/signalbox/signalbox/services/dashboard"
)

const credentials = `{"email":"a@example.com","password":"correct horse"}`

func TestSignInGivesASessionAndLogoutEndsIt(t *testing.T) {
	h := newTestEnv(t, "")
	b := h.browser()
	b.api("GET", "/session", "").requireError(t, http.StatusUnauthorized, "SESSION_REQUIRED")
	a := b.api("POST", "/register", `{"email":"a@example.com","password":"correct horse","name":"Acme"}`)
	require.Equal(t, http.StatusOK, a.status)
	want := `{"account":{"id":"acc_1","name":"Acme"},"user":{"email":"a@example.com","role":"owner"}}` + "\n"
	require.Equal(t, want, a.body)
	require.Equal(t, "signalbox_session=token-1; Path=/; Max-Age=2592000; HttpOnly; SameSite=Lax",
		a.header.Get("Set-Cookie"))
	require.Equal(t, want, b.api("GET", "/session", "").body)

	require.Equal(t, http.StatusNoContent, b.api("POST", "/logout", "").status)
	h.browser().sendCookie("token-1", "GET", "/api/v1/session").requireError(t, http.StatusUnauthorized, "SESSION_REQUIRED")
	require.Equal(t, want, b.api("POST", "/login", credentials).body)
	b.api("POST", "/login", `{"email":"a@example.com","password":"wrong"}`).requireError(t, http.StatusUnauthorized, "LOGIN_FAILED")
	b.api("POST", "/register", credentials).requireError(t, http.StatusConflict, "EMAIL_TAKEN")
	h.browser().sendCookie(strings.Repeat("x", 5000), "GET", "/api/v1/session").requireError(t, http.StatusUnauthorized, "SESSION_REQUIRED")
}

// TestSessionWithoutUserIsRejected checks that such a session is rejected: keyauth
// treats an actor without a user as the operator's command line.
func TestSessionWithoutUserIsRejected(t *testing.T) {
	h := newTestEnv(t, "")
	nobody := &person{identity: &keyauthv1.Identity{Account: &keyauthv1.Account{Id: "acc_1"}}}
	h.accounts.sessions["odd"] = &opened{person: nobody}
	h.browser().sendCookie("odd", "GET", "/api/v1/keys").requireError(t, http.StatusUnauthorized, "SESSION_REQUIRED")
}

// sendCookie sends a chosen session cookie.
func (b *browser) sendCookie(token, method, path string) response {
	return b.send(method, path, "", map[string]string{"Cookie": "signalbox_session=" + token})
}

func TestClaim(t *testing.T) {
	b := newTestEnv(t, "").browser()
	b.api("POST", "/claim", `{"token":"used","email":"o@example.com","password":"p"}`).
		requireError(t, http.StatusForbidden, "TOKEN_INVALID")
	a := b.api("POST", "/claim", `{"token":"claim-me","email":"o@example.com","password":"p"}`)
	require.Equal(t, http.StatusOK, a.status, a.body)
	require.Contains(t, a.header.Get("Set-Cookie"), "signalbox_session=")
}

func TestSessionCookieIsSecureBehindTLS(t *testing.T) {
	h := newTestEnv(t, "https://signalbox.example.com")
	b := h.browser()
	a := b.api("POST", "/register", credentials)
	require.Equal(t, "__Host-signalbox_session=token-1; Path=/; Max-Age=2592000; HttpOnly; Secure; SameSite=Lax",
		a.header.Get("Set-Cookie"))
	require.NotEmpty(t, a.header.Get("Strict-Transport-Security"))
	a = b.send("GET", "/api/v1/session", "", map[string]string{"Cookie": "__Host-signalbox_session=token-1"})
	require.Equal(t, http.StatusOK, a.status)
	h.browser().sendCookie("token-1", "GET", "/api/v1/session").requireError(t, http.StatusUnauthorized, "SESSION_REQUIRED")
	a = b.send("POST", "/api/v1/logout", "", map[string]string{"Origin": "https://signalbox.example.com"})
	require.Equal(t, http.StatusNoContent, a.status, "the public origin is our own")
}

func TestOtherSitesCannotAct(t *testing.T) {
	h := newTestEnv(t, "")
	b, _ := h.registerUser("a@example.com")
	for _, from := range []map[string]string{
		{"Sec-Fetch-Site": "cross-site"}, {"Origin": "https://evil.example"}, {"Origin": "null"},
	} {
		from["Content-Type"] = "application/json"
		b.send("POST", "/api/v1/keys", `{"name":"x"}`, from).requireError(t, http.StatusForbidden, "CROSS_ORIGIN_REFUSED")
		page := b.send("POST", "/login", "email=x", from)
		require.Equal(t, http.StatusForbidden, page.status)
		require.Contains(t, page.header.Get("Content-Type"), "text/html")
	}
	require.Empty(t, h.accounts.keys)
}

func TestEveryResponseHasSecurityHeaders(t *testing.T) {
	b := newTestEnv(t, "").browser()
	for _, path := range []string{"/login", "/api/v1/session", "/nothing", "/api/v1/nothing"} {
		a := b.get(path)
		require.Contains(t, a.header.Get("Content-Security-Policy"), "default-src 'none'", path)
		require.Contains(t, a.header.Get("Content-Security-Policy"), "frame-ancestors 'none'")
		require.Equal(t, "nosniff", a.header.Get("X-Content-Type-Options"))
		require.Equal(t, "no-store", a.header.Get("Cache-Control"))
		require.Equal(t, "same-origin", a.header.Get("Referrer-Policy"))
		require.NotEmpty(t, a.header.Get("X-Request-Id"))
	}
}

func TestUnknownRoutesReturnOurErrorShape(t *testing.T) {
	b := newTestEnv(t, "").browser()
	b.get("/api/v1/nothing").requireError(t, http.StatusNotFound, "ENDPOINT_NOT_FOUND")
	b.get("/api").requireError(t, http.StatusNotFound, "ENDPOINT_NOT_FOUND")
	a := b.api("PUT", "/keys", "{}")
	a.requireError(t, http.StatusMethodNotAllowed, "METHOD_NOT_ALLOWED")
	require.Equal(t, "GET, POST, HEAD", a.header.Get("Allow"))
	b.get("//api/v1//session/").requireError(t, http.StatusUnauthorized, "SESSION_REQUIRED")
	a = b.get("/nothing")
	require.Equal(t, http.StatusNotFound, a.status)
	require.Contains(t, a.header.Get("Content-Type"), "text/html")
	for _, client := range []map[string]string{{"Accept": "application/json"}, {"Accept": "*/*"}, {"Accept": ""}, {"Authorization": "Bearer sbx_live_x"}} {
		b.send("GET", "/nothing", "", client).requireError(t, http.StatusNotFound, "ENDPOINT_NOT_FOUND")
		b.send("POST", "/chat/completions", "{}", client).requireError(t, http.StatusNotFound, "ENDPOINT_NOT_FOUND")
	}
	// GET must not change state.
	for _, path := range []string{"/api/v1/logout", "/api/v1/register", "/api/v1/keys/k/rotate", "/logout"} {
		require.Equal(t, http.StatusMethodNotAllowed, b.get(path).status, path)
	}
}

func TestBodiesAreReadStrictly(t *testing.T) {
	b := newTestEnv(t, "").browser()
	details := b.api("POST", "/login", `{"email":"a","password":"p","admin":true}`).requireError(t, http.StatusBadRequest, "INVALID_REQUEST")
	require.Equal(t, "admin", details["param"])
	details = b.api("POST", "/login", `{"Email":"a"}`).requireError(t, http.StatusBadRequest, "INVALID_REQUEST")
	require.Equal(t, "Email", details["param"])
	details = b.api("POST", "/login", `{"email":7}`).requireError(t, http.StatusBadRequest, "INVALID_REQUEST")
	require.Equal(t, "email", details["param"])
	b.api("POST", "/login", `[1]`).requireError(t, http.StatusBadRequest, "INVALID_REQUEST")
	b.api("POST", "/login", `null`).requireError(t, http.StatusBadRequest, "INVALID_REQUEST")
	for _, bad := range []string{`{`, `{"email":"a","email":"b"}`, `{} {}`, "{\"email\":\"\xff\"}", " "} {
		b.api("POST", "/login", bad).requireError(t, http.StatusBadRequest, "INVALID_JSON")
	}
	b.api("POST", "/login", `{"email":"`+strings.Repeat("x", 70<<10)+`"}`).requireError(t, http.StatusRequestEntityTooLarge, "REQUEST_TOO_LARGE")
	b.send("POST", "/api/v1/login", credentials, map[string]string{"Content-Type": "text/plain"}).
		requireError(t, http.StatusUnsupportedMediaType, "UNSUPPORTED_MEDIA_TYPE")
}

// TestAProxyThatIsNotTrustedDoesNotRegister checks that registration that is open
// only to loopback rejects clients behind a local reverse proxy.
func TestAProxyThatIsNotTrustedDoesNotRegister(t *testing.T) {
	h := newTestEnv(t, "")
	for _, name := range []string{"X-Forwarded-For", "X-Real-IP", "Forwarded", "Via", "X-Forwarded-Host"} {
		b := h.browser()
		b.send("POST", "/api/v1/register", credentials, map[string]string{"Content-Type": "application/json", name: "203.0.113.9"}).
			requireError(t, http.StatusForbidden, "REGISTRATION_CLOSED")
		a := b.send("POST", "/register", "email=a@example.com&password=correct+horse",
			map[string]string{"Content-Type": "application/x-www-form-urlencoded", name: "203.0.113.9"})
		require.Equal(t, http.StatusForbidden, a.status)
		require.Contains(t, a.body, "--trusted-proxies")
	}
	require.Empty(t, h.accounts.people)
	h.registerUser("a@example.com")
	a := h.browser().send("POST", "/api/v1/login", credentials, map[string]string{"Content-Type": "application/json", "Via": "1.1 proxy"})
	require.Equal(t, http.StatusOK, a.status, "who has an account comes in")

	h = newTestEnvWith(t, dashboard.Config{TrustedProxies: "127.0.0.1"})
	a = h.browser().send("POST", "/api/v1/register", credentials,
		map[string]string{"Content-Type": "application/json", "X-Forwarded-For": "203.0.113.9"})
	require.Equal(t, http.StatusOK, a.status)
}

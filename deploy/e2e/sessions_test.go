package e2e

import (
	"net/http"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSessionsEnd: a session ends with a sign-out, with a new sign-in in the same browser,
// and in other browsers with a new password.
func TestSessionsEnd(t *testing.T) { forEachDeployment(t, sessionsEnd) }

func sessionsEnd(t *testing.T, start func(*testing.T, ...string) *Gateway) {
	box := start(t)
	email, first, second := "sessions@example.com", "a long enough password", "quite another password"
	signIn := func(a *APIClient, path, password string) *APIClient {
		status, body := a.CallWithPassword(path, map[string]string{"email": email, "password": password}, nil)
		require.Equal(t, http.StatusOK, status, "%s", body)
		return a
	}
	session := func(a *APIClient) int {
		status, _ := a.Call(http.MethodGet, "/session", nil, nil)
		return status
	}
	desk := signIn(box.NewVisitor(), "/register", first)
	before := copied(t, desk)
	require.Equal(t, http.StatusOK, session(before))
	signIn(desk, "/login", first)
	require.Equal(t, http.StatusUnauthorized, session(before), "the browser's session before")

	phone := signIn(box.NewVisitor(), "/login", first)
	change := map[string]string{"current": "not the password", "password": second}
	status, body := desk.Call(http.MethodPost, "/password", change, nil)
	require.Equal(t, http.StatusBadRequest, status, "%s", body)
	require.Contains(t, string(body), `"param":"current"`)
	require.Equal(t, http.StatusOK, session(phone))
	change["current"] = first
	status, body = desk.Call(http.MethodPost, "/password", change, nil)
	require.Equal(t, http.StatusNoContent, status, "%s", body)
	require.Equal(t, http.StatusOK, session(desk))
	require.Equal(t, http.StatusUnauthorized, session(phone), "another's session after a new password")

	phone = signIn(box.NewVisitor(), "/login", second)
	stolen := copied(t, phone)
	status, _ = phone.Call(http.MethodPost, "/logout", nil, nil)
	require.Equal(t, http.StatusNoContent, status)
	require.Equal(t, http.StatusUnauthorized, session(stolen), "a session after its sign-out")
}

// copied returns another client with the same cookies.
func copied(t *testing.T, a *APIClient) *APIClient {
	at, err := url.Parse(a.base)
	require.NoError(t, err)
	other := (&Gateway{t: t, Dashboard: a.base}).NewVisitor()
	other.client.Jar.SetCookies(at, a.client.Jar.Cookies(at))
	return other
}

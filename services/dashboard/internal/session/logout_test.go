package session

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"

	"github.com/signalbox/signalbox/pkg/apperr"
	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
)

// accounts is keyauth with one session. Calls that a test does not need panic.
type accounts struct {
	keyauthv1.AccountServiceClient
	logoutErr error
	ended     []string
	identity  *keyauthv1.Identity
}

func (a *accounts) Logout(_ context.Context, in *keyauthv1.LogoutRequest, _ ...grpc.CallOption) (*keyauthv1.LogoutResponse, error) {
	if a.logoutErr != nil {
		return nil, a.logoutErr
	}
	a.ended = append(a.ended, in.GetToken())
	return &keyauthv1.LogoutResponse{}, nil
}

func (a *accounts) GetSession(context.Context, *keyauthv1.GetSessionRequest, ...grpc.CallOption) (*keyauthv1.GetSessionResponse, error) {
	return &keyauthv1.GetSessionResponse{Identity: a.identity}, nil
}

func newManager(a *accounts) *Manager {
	return &Manager{Accounts: a, Log: slog.New(slog.DiscardHandler), Secure: true}
}

func withCookie(m *Manager, token string) *http.Request {
	r := httptest.NewRequest(http.MethodPost, "/", nil)
	r.AddCookie(&http.Cookie{Name: m.cookieName(), Value: token})
	return r
}

// If keyauth is unavailable, the session still exists. Without the cookie the user could
// not end it.
func TestAFailedLogoutKeepsTheCookie(t *testing.T) {
	a := &accounts{logoutErr: apperr.New(apperr.StoreUnavailable, "no store")}
	m, w := newManager(a), httptest.NewRecorder()
	require.Error(t, m.Logout(w, withCookie(m, "secret")))
	require.Empty(t, w.Result().Cookies())

	a.logoutErr, w = nil, httptest.NewRecorder()
	require.NoError(t, m.Logout(w, withCookie(m, "secret")))
	require.Equal(t, []string{"secret"}, a.ended)
	cookies := w.Result().Cookies()
	require.Len(t, cookies, 1)
	require.Negative(t, cookies[0].MaxAge)
}

// A session that has ended already is no failure.
func TestALogoutOfAnEndedSessionClearsTheCookie(t *testing.T) {
	m, w := newManager(&accounts{logoutErr: apperr.New(apperr.SessionRequired, "ended")}), httptest.NewRecorder()
	require.NoError(t, m.Logout(w, withCookie(m, "secret")))
	require.Len(t, w.Result().Cookies(), 1)
}

// A browser that signs in again does not leave its earlier session behind, and gets the new
// cookie even if that session cannot be ended.
func TestASignInEndsTheEarlierSessionOfTheBrowser(t *testing.T) {
	in := func(*http.Request, *Manager, Credentials) (*keyauthv1.SignIn, error) {
		return &keyauthv1.SignIn{Token: "new", Identity: &keyauthv1.Identity{}}, nil
	}
	for _, logoutErr := range []error{nil, apperr.New(apperr.StoreUnavailable, "no store")} {
		a := &accounts{logoutErr: logoutErr}
		m, w := newManager(a), httptest.NewRecorder()
		_, err := m.SignIn(w, withCookie(m, "old"), in, Credentials{})
		require.NoError(t, err)
		require.Equal(t, "new", w.Result().Cookies()[0].Value)
		if logoutErr == nil {
			require.Equal(t, []string{"old"}, a.ended)
		}
	}
}

// keyauth treats an actor without a user as the operator's command line. An incomplete
// identity is therefore no session.
func TestAnIncompleteIdentityIsNoSession(t *testing.T) {
	account, user := &keyauthv1.Account{Id: "acc"}, &keyauthv1.User{Id: "user"}
	for _, id := range []*keyauthv1.Identity{nil, {Account: account}, {User: user}} {
		m := newManager(&accounts{identity: id})
		_, err := m.Identify(withCookie(m, "secret"))
		require.Equal(t, apperr.SessionRequired, apperr.CodeOf(err))
	}
	m := newManager(&accounts{identity: &keyauthv1.Identity{Account: account, User: user}})
	v, err := m.Identify(withCookie(m, "secret"))
	require.NoError(t, err)
	require.Equal(t, "acc", v.Actor().GetAccountId())
}

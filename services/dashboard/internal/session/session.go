// Package session signs users in and out over HTTP. Manager resolves the session
// cookie of a request, sets and clears it, and serves the API calls for
// signing in, the user's sessions and the password. keyauth stores the sessions
// and checks all credentials; the cookie holds only the token. web uses the
// Manager for its pages.
package session

import (
	"log/slog"
	"net/http"
	"time"

	"google.golang.org/grpc/codes"

	"github.com/signalbox/signalbox/pkg/apperr"
	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
	"github.com/signalbox/signalbox/services/dashboard/internal/access"
	"github.com/signalbox/signalbox/services/dashboard/internal/httpapi"
)

const (
	cookieName = "signalbox_session"
	// hostPrefix makes browsers accept the cookie only with TLS, the path / and no
	// Domain attribute.
	hostPrefix = "__Host-"
	// maxTokenBytes is longer than every session token. Longer values are rejected
	// without a call to keyauth.
	maxTokenBytes = 256
	// cookieLifetime is the maximum lifetime of a session. keyauth ends unused
	// sessions earlier, so the cookie may outlive its session.
	cookieLifetime = 30 * 24 * time.Hour
)

// Manager signs users in and out. It is safe for concurrent use.
type Manager struct {
	Accounts keyauthv1.AccountServiceClient
	Log      *slog.Logger
	// Secure is true if browsers use TLS.
	Secure bool
	// BehindTrustedProxy is true if trusted load balancers are configured. Then
	// the address of a request is already the client's address.
	BehindTrustedProxy bool
}

// Identify returns the user of the request's API token or session cookie. Without a valid
// one it returns the error SESSION_REQUIRED. A request with a token never uses a cookie.
func (s *Manager) Identify(r *http.Request) (*access.Viewer, error) {
	if token := readAPIToken(r); token != "" {
		return s.identifyToken(r, token)
	}
	required := apperr.New(apperr.SessionRequired, "sign in first")
	token := s.readSessionToken(r)
	if token == "" {
		return nil, required
	}
	resp, err := s.Accounts.GetSession(r.Context(), &keyauthv1.GetSessionRequest{Token: token})
	if err = httpapi.ToAccountsError(err); err != nil {
		if apperr.CodeOf(err).Spec().GRPC == codes.Unauthenticated {
			return nil, required.WithCause(err)
		}
		return nil, err
	}
	v := access.NewViewer(resp.GetIdentity())
	// keyauth treats an actor without a user as the operator's command line. The
	// command line may do everything.
	if v.Account.GetId() == "" || v.User.GetId() == "" {
		return nil, required
	}
	return v, nil
}

func (s *Manager) readSessionToken(r *http.Request) string {
	c, err := r.Cookie(s.cookieName())
	if err != nil || len(c.Value) > maxTokenBytes {
		return ""
	}
	return c.Value
}

func (s *Manager) cookieName() string {
	if s.Secure {
		return hostPrefix + cookieName
	}
	return cookieName
}

func (s *Manager) setSessionCookie(w http.ResponseWriter, token string) {
	http.SetCookie(w, &http.Cookie{
		Name: s.cookieName(), Value: token, Path: "/", MaxAge: int(cookieLifetime / time.Second),
		HttpOnly: true, Secure: s.Secure, SameSite: http.SameSiteLaxMode,
	})
}

func (s *Manager) clearSessionCookie(w http.ResponseWriter) {
	http.SetCookie(w, &http.Cookie{
		Name: s.cookieName(), Path: "/", MaxAge: -1,
		HttpOnly: true, Secure: s.Secure, SameSite: http.SameSiteLaxMode,
	})
}

// Logout ends the session in keyauth and then clears the cookie. In the other order,
// a failure would leave a session that the user can no longer end.
func (s *Manager) Logout(w http.ResponseWriter, r *http.Request) error {
	if err := s.endCurrentSession(r); err != nil {
		return err
	}
	s.clearSessionCookie(w)
	return nil
}

// endCurrentSession ends the session of the request's cookie, if there is one.
func (s *Manager) endCurrentSession(r *http.Request) error {
	token := s.readSessionToken(r)
	if token == "" {
		return nil
	}
	_, err := s.Accounts.Logout(r.Context(), &keyauthv1.LogoutRequest{Token: token})
	if err = httpapi.ToAccountsError(err); err != nil && apperr.CodeOf(err).Spec().GRPC != codes.Unauthenticated {
		return err
	}
	return nil
}

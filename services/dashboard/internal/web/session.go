package web

import (
	"errors"
	"net/http"
	"time"

	"google.golang.org/grpc/codes"

	"github.com/signalbox/signalbox/pkg/apperr"
	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
)

const (
	cookieName = "signalbox_session"
	// hostPrefix makes browsers require TLS, the path / and no Domain attribute.
	hostPrefix = "__Host-"
	// maxTokenBytes exceeds the length of every session token. Longer values are
	// rejected without a call to keyauth.
	maxTokenBytes = 256
	// cookieLifetime is the maximum lifetime of a session. keyauth ends unused
	// sessions earlier; the cookie may outlive them.
	cookieLifetime = 30 * 24 * time.Hour
)

// viewer is the signed-in user with account and session.
type viewer struct {
	account *keyauthv1.Account
	user    *keyauthv1.User
	session *keyauthv1.Session
}

func newViewer(id *keyauthv1.Identity) *viewer {
	return &viewer{account: id.GetAccount(), user: id.GetUser(), session: id.GetSession()}
}

func (v *viewer) actor() *keyauthv1.Actor {
	return &keyauthv1.Actor{AccountId: v.account.GetId(), UserId: v.user.GetId()}
}

// requireSession returns an action that calls a only for requests with a valid
// session.
func (s *server) requireSession(a func(http.ResponseWriter, *http.Request, *viewer) error) action {
	return func(w http.ResponseWriter, r *http.Request) error {
		v, err := s.authenticate(r)
		if err != nil {
			return err
		}
		return a(w, r, v)
	}
}

// requireOperator admits only users of the operator's account, because the call
// concerns the whole installation.
func (s *server) requireOperator(a func(http.ResponseWriter, *http.Request, *viewer) error) action {
	return s.requireSession(func(w http.ResponseWriter, r *http.Request, v *viewer) error {
		if !v.account.GetOperator() {
			return apperr.New(apperr.AuthForbidden, "only the operator's account may do this")
		}
		return a(w, r, v)
	})
}

// requireOperatorOwner admits only owners of the operator's account, because
// the call affects other accounts.
func (s *server) requireOperatorOwner(a func(http.ResponseWriter, *http.Request, *viewer) error) action {
	return s.requireOperator(func(w http.ResponseWriter, r *http.Request, v *viewer) error {
		if v.user.GetRole() != keyauthv1.Role_ROLE_OWNER {
			return apperr.New(apperr.AuthForbidden, "only an owner of the operator's account may do this")
		}
		return a(w, r, v)
	})
}

// identify resolves the session cookie. Without a valid session the error is
// SESSION_REQUIRED.
func (s *server) identify(r *http.Request) (*viewer, error) {
	required := apperr.New(apperr.SessionRequired, "sign in first")
	token := s.readSessionToken(r)
	if token == "" {
		return nil, required
	}
	resp, err := s.Accounts.GetSession(r.Context(), &keyauthv1.GetSessionRequest{Token: token})
	if err = toAccountsError(err); err != nil {
		if apperr.CodeOf(err).Spec().GRPC == codes.Unauthenticated {
			return nil, required.WithCause(err)
		}
		return nil, err
	}
	v := newViewer(resp.GetIdentity())
	// keyauth treats an actor without a user as the operator's command line, which
	// may do everything.
	if v.account.GetId() == "" || v.user.GetId() == "" {
		return nil, required
	}
	return v, nil
}

func (s *server) readSessionToken(r *http.Request) string {
	c, err := r.Cookie(s.cookieName())
	if err != nil || len(c.Value) > maxTokenBytes {
		return ""
	}
	return c.Value
}

func (s *server) cookieName() string {
	if s.secure {
		return hostPrefix + cookieName
	}
	return cookieName
}

func (s *server) setSessionCookie(w http.ResponseWriter, token string) {
	http.SetCookie(w, &http.Cookie{
		Name: s.cookieName(), Value: token, Path: "/", MaxAge: int(cookieLifetime / time.Second),
		HttpOnly: true, Secure: s.secure, SameSite: http.SameSiteLaxMode,
	})
}

func (s *server) clearSessionCookie(w http.ResponseWriter) {
	http.SetCookie(w, &http.Cookie{
		Name: s.cookieName(), Path: "/", MaxAge: -1,
		HttpOnly: true, Secure: s.secure, SameSite: http.SameSiteLaxMode,
	})
}

// logout ends the session in keyauth before it clears the cookie. Otherwise a
// failure would leave a live session behind.
func (s *server) logout(w http.ResponseWriter, r *http.Request) error {
	if err := s.endCurrentSession(r); err != nil {
		return err
	}
	s.clearSessionCookie(w)
	return nil
}

// endCurrentSession ends the session of the request's cookie, if there is one.
func (s *server) endCurrentSession(r *http.Request) error {
	token := s.readSessionToken(r)
	if token == "" {
		return nil
	}
	_, err := s.Accounts.Logout(r.Context(), &keyauthv1.LogoutRequest{Token: token})
	if err = toAccountsError(err); err != nil && apperr.CodeOf(err).Spec().GRPC != codes.Unauthenticated {
		return err
	}
	return nil
}

// toAccountsError converts the error of a call to keyauth.
func toAccountsError(err error) error {
	return orUnavailable(err, apperr.New(apperr.AuthUnavailable, "the account service cannot be reached"))
}

// orUnavailable returns an error that the service itself reported unchanged.
// Any other error means that the service cannot be reached, and is replaced by
// otherwise.
func orUnavailable(err error, otherwise *apperr.Error) error {
	var reported *apperr.Error
	if err == nil || errors.As(err, &reported) {
		return err
	}
	return otherwise.WithCause(err)
}

// routerUnreachable is the message of RoutingUnavailable errors.
const routerUnreachable = "the router cannot be reached; try again in a moment"

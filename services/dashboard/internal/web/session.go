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

// requireSession returns an action that calls a if the request has a valid session.
func (s *server) requireSession(a func(http.ResponseWriter, *http.Request, *viewer) error) action {
	return func(w http.ResponseWriter, r *http.Request) error {
		v, err := s.authenticate(r)
		if err != nil {
			return err
		}
		return a(w, r, v)
	}
}

// requireOperator is requireSession for calls that concern the whole installation. It
// admits only users of the operator's account.
func (s *server) requireOperator(a func(http.ResponseWriter, *http.Request, *viewer) error) action {
	return s.requireSession(func(w http.ResponseWriter, r *http.Request, v *viewer) error {
		if !v.account.GetOperator() {
			return apperr.New(apperr.AuthForbidden, "only users of the operator's account may do this")
		}
		return a(w, r, v)
	})
}

// requireOperatorOwner is requireOperator for calls that affect other accounts. It
// admits only owners of the operator's account.
func (s *server) requireOperatorOwner(a func(http.ResponseWriter, *http.Request, *viewer) error) action {
	return s.requireOperator(func(w http.ResponseWriter, r *http.Request, v *viewer) error {
		if v.user.GetRole() != keyauthv1.Role_ROLE_OWNER {
			return apperr.New(apperr.AuthForbidden, "only an owner of the operator's account may do this")
		}
		return a(w, r, v)
	})
}

// identify returns the user whose session cookie the request has. Without a valid
// session it returns the error SESSION_REQUIRED.
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
	// keyauth treats an actor without a user as the operator's command line. The
	// command line may do everything.
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

// logout ends the session in keyauth and then clears the cookie. In the other order,
// a failure would leave a session that the user can no longer end.
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

// toAccountsError returns errors that keyauth reported unchanged. All other errors
// mean that keyauth cannot be reached.
func toAccountsError(err error) error {
	return orUnavailable(err, apperr.New(apperr.AuthUnavailable, "the account service cannot be reached"))
}

// orUnavailable returns err unchanged if it is nil or if the service reported it.
// Any other error means that the service cannot be reached. orUnavailable then
// returns otherwise with err as its cause.
func orUnavailable(err error, otherwise *apperr.Error) error {
	var reported *apperr.Error
	if err == nil || errors.As(err, &reported) {
		return err
	}
	return otherwise.WithCause(err)
}

// routerUnreachable is the message of RoutingUnavailable errors.
const routerUnreachable = "the router cannot be reached; try again in a moment"

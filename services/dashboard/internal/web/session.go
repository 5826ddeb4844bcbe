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
	// hostPrefix makes browsers insist on TLS, the path / and no other host.
	hostPrefix = "__Host-"
	// maxToken is more than any session token has: what is longer is not one,
	// and nobody needs to be asked.
	maxToken = 256
	// cookieLife is the longest that a session may last. The account service
	// ends one earlier when it is not used, which a cookie cannot know.
	cookieLife = 30 * 24 * time.Hour
)

// viewer is who asks.
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

// signedIn asks for a session before it lets a into action.
func (s *server) signedIn(a func(http.ResponseWriter, *http.Request, *viewer) error) action {
	return func(w http.ResponseWriter, r *http.Request) error {
		v, err := s.who(r)
		if err != nil {
			return err
		}
		return a(w, r, v)
	}
}

// operator lets only people of the operator's account in: what concerns the
// installation is not for those who are its guests.
func (s *server) operator(a func(http.ResponseWriter, *http.Request, *viewer) error) action {
	return s.signedIn(func(w http.ResponseWriter, r *http.Request, v *viewer) error {
		if !v.account.GetOperator() {
			return apperr.New(apperr.AuthForbidden, "this is for the operator's account")
		}
		return a(w, r, v)
	})
}

// operatorOwner is for what reaches into other accounts.
func (s *server) operatorOwner(a func(http.ResponseWriter, *http.Request, *viewer) error) action {
	return s.operator(func(w http.ResponseWriter, r *http.Request, v *viewer) error {
		if v.user.GetRole() != keyauthv1.Role_ROLE_OWNER {
			return apperr.New(apperr.AuthForbidden, "this is for owners of the operator's account")
		}
		return a(w, r, v)
	})
}

// identify resolves the session cookie. Without a valid one the error is
// SESSION_REQUIRED.
func (s *server) identify(r *http.Request) (*viewer, error) {
	required := apperr.New(apperr.SessionRequired, "sign in first")
	token := s.token(r)
	if token == "" {
		return nil, required
	}
	resp, err := s.Accounts.GetSession(r.Context(), &keyauthv1.GetSessionRequest{Token: token})
	if err = peer(err); err != nil {
		if apperr.CodeOf(err).Spec().GRPC == codes.Unauthenticated {
			return nil, required.Because(err)
		}
		return nil, err
	}
	v := newViewer(resp.GetIdentity())
	// Without a user the account service would take us for the operator's
	// command line, which may do everything.
	if v.account.GetId() == "" || v.user.GetId() == "" {
		return nil, required
	}
	return v, nil
}

func (s *server) token(r *http.Request) string {
	c, err := r.Cookie(s.cookieName())
	if err != nil || len(c.Value) > maxToken {
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

func (s *server) setCookie(w http.ResponseWriter, token string) {
	http.SetCookie(w, &http.Cookie{
		Name: s.cookieName(), Value: token, Path: "/", MaxAge: int(cookieLife / time.Second),
		HttpOnly: true, Secure: s.secure, SameSite: http.SameSiteLaxMode,
	})
}

func (s *server) dropCookie(w http.ResponseWriter) {
	http.SetCookie(w, &http.Cookie{
		Name: s.cookieName(), Path: "/", MaxAge: -1,
		HttpOnly: true, Secure: s.secure, SameSite: http.SameSiteLaxMode,
	})
}

// logout ends the session, if there is one, in the account service first: a
// cookie that is gone while the session lives on would not be a log-out.
func (s *server) logout(w http.ResponseWriter, r *http.Request) error {
	if err := s.endToken(r); err != nil {
		return err
	}
	s.dropCookie(w)
	return nil
}

// endToken ends the session of the request's cookie, if there is one.
func (s *server) endToken(r *http.Request) error {
	token := s.token(r)
	if token == "" {
		return nil
	}
	_, err := s.Accounts.Logout(r.Context(), &keyauthv1.LogoutRequest{Token: token})
	if err = peer(err); err != nil && apperr.CodeOf(err).Spec().GRPC != codes.Unauthenticated {
		return err
	}
	return nil
}

// peer is an error of a call to the account service.
func peer(err error) error {
	return reached(err, apperr.New(apperr.AuthUnavailable, "the account service cannot be reached"))
}

// reached tells a service that refuses, which says why, from one that cannot
// be reached.
func reached(err error, otherwise *apperr.Error) error {
	var refused *apperr.Error
	if err == nil || errors.As(err, &refused) {
		return err
	}
	return otherwise.Because(err)
}

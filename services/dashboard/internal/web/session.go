package web

import (
	"context"
	"errors"
	"net"
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
	// maxAgent is how much of a browser's name is kept with a session.
	maxAgent = 200
)

// viewer is who asks.
type viewer struct {
	account *keyauthv1.Account
	user    *keyauthv1.User
}

func (v *viewer) actor() *keyauthv1.Actor {
	return &keyauthv1.Actor{AccountId: v.account.GetId(), UserId: v.user.GetId()}
}

// signedIn asks for a session before it lets a into action.
func (s *server) signedIn(a func(http.ResponseWriter, *http.Request, *viewer) error) action {
	return func(w http.ResponseWriter, r *http.Request) error {
		v, err := s.identify(r)
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
	v := &viewer{account: resp.GetIdentity().GetAccount(), user: resp.GetIdentity().GetUser()}
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
	if token := s.token(r); token != "" {
		_, err := s.Accounts.Logout(r.Context(), &keyauthv1.LogoutRequest{Token: token})
		if err = peer(err); err != nil && apperr.CodeOf(err).Spec().GRPC != codes.Unauthenticated {
			return err
		}
	}
	s.dropCookie(w)
	return nil
}

// credentials is what a person signs in with.
type credentials struct {
	Token, Email, Password, Name string
}

// signInFunc signs a person in, one way or another.
type signInFunc func(ctx context.Context, s *server, c credentials, client string) (*keyauthv1.SignIn, error)

func register(ctx context.Context, s *server, c credentials, client string) (*keyauthv1.SignIn, error) {
	resp, err := s.Accounts.Register(ctx, &keyauthv1.RegisterRequest{Email: c.Email, Password: c.Password, Name: c.Name, Client: client})
	return resp.GetSignIn(), peer(err)
}

func login(ctx context.Context, s *server, c credentials, client string) (*keyauthv1.SignIn, error) {
	resp, err := s.Accounts.Login(ctx, &keyauthv1.LoginRequest{Email: c.Email, Password: c.Password, Client: client})
	return resp.GetSignIn(), peer(err)
}

func claim(ctx context.Context, s *server, c credentials, client string) (*keyauthv1.SignIn, error) {
	resp, err := s.Accounts.Claim(ctx, &keyauthv1.ClaimRequest{Token: c.Token, Email: c.Email, Password: c.Password, Client: client})
	return resp.GetSignIn(), peer(err)
}

// signIn runs f and gives the browser its session.
func (s *server) signIn(w http.ResponseWriter, r *http.Request, f signInFunc, c credentials) (*viewer, error) {
	in, err := f(r.Context(), s, c, client(r))
	if err != nil {
		return nil, err
	}
	s.setCookie(w, in.GetToken())
	return &viewer{account: in.GetIdentity().GetAccount(), user: in.GetIdentity().GetUser()}, nil
}

// client is the browser and address that a session is listed with.
func client(r *http.Request) string {
	agent := r.UserAgent()
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		host = r.RemoteAddr
	}
	return validText(agent[:min(len(agent), maxAgent)]) + " " + host
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

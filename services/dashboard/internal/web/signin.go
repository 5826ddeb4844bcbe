package web

import (
	"context"
	"net"
	"net/http"

	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
)

// maxAgent is how much of a browser's name is kept with a session.
const maxAgent = 200

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

func acceptInvite(ctx context.Context, s *server, c credentials, client string) (*keyauthv1.SignIn, error) {
	resp, err := s.Accounts.AcceptInvite(ctx, &keyauthv1.AcceptInviteRequest{
		Token: c.Token, Email: c.Email, Password: c.Password, Name: c.Name, Client: client,
	})
	return resp.GetSignIn(), peer(err)
}

func setPassword(ctx context.Context, s *server, c credentials, client string) (*keyauthv1.SignIn, error) {
	resp, err := s.Accounts.SetPassword(ctx, &keyauthv1.SetPasswordRequest{Token: c.Token, Password: c.Password, Client: client})
	return resp.GetSignIn(), peer(err)
}

// signIn runs f and gives the browser its session. The one it had before ends:
// nobody would look after it any more.
func (s *server) signIn(w http.ResponseWriter, r *http.Request, f signInFunc, c credentials) (*viewer, error) {
	in, err := f(r.Context(), s, c, client(r))
	if err != nil {
		return nil, err
	}
	if err := s.endToken(r); err != nil {
		s.Log.Warn("the session before this sign-in cannot be ended", "request_id", requestID(r), "error", err)
	}
	s.setCookie(w, in.GetToken())
	return newViewer(in.GetIdentity()), nil
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

package web

import (
	"net"
	"net/http"
	"net/netip"

	"github.com/signalbox/signalbox/pkg/apperr"
	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
)

// maxAgent is how much of a browser's name is kept with a session.
const maxAgent = 200

// credentials is what a person signs in with.
type credentials struct {
	Token, Email, Password, Name string
}

// signInFunc signs a person in, one way or another.
type signInFunc func(r *http.Request, s *server, c credentials) (*keyauthv1.SignIn, error)

func register(r *http.Request, s *server, c credentials) (*keyauthv1.SignIn, error) {
	if !s.Balanced && forwarded(r) {
		return nil, apperr.New(apperr.RegistrationOff, "this came through a proxy that is not trusted; ask the operator to set --trusted-proxies")
	}
	resp, err := s.Accounts.Register(r.Context(), &keyauthv1.RegisterRequest{
		Email: c.Email, Password: c.Password, Name: c.Name, Client: client(r),
	})
	return resp.GetSignIn(), peer(err)
}

func login(r *http.Request, s *server, c credentials) (*keyauthv1.SignIn, error) {
	resp, err := s.Accounts.Login(r.Context(), &keyauthv1.LoginRequest{Email: c.Email, Password: c.Password, Client: client(r)})
	return resp.GetSignIn(), peer(err)
}

func claim(r *http.Request, s *server, c credentials) (*keyauthv1.SignIn, error) {
	resp, err := s.Accounts.Claim(r.Context(), &keyauthv1.ClaimRequest{Token: c.Token, Email: c.Email, Password: c.Password, Client: client(r)})
	return resp.GetSignIn(), peer(err)
}

func acceptInvite(r *http.Request, s *server, c credentials) (*keyauthv1.SignIn, error) {
	resp, err := s.Accounts.AcceptInvite(r.Context(), &keyauthv1.AcceptInviteRequest{
		Token: c.Token, Email: c.Email, Password: c.Password, Name: c.Name, Client: client(r),
	})
	return resp.GetSignIn(), peer(err)
}

func setPassword(r *http.Request, s *server, c credentials) (*keyauthv1.SignIn, error) {
	resp, err := s.Accounts.SetPassword(r.Context(), &keyauthv1.SetPasswordRequest{Token: c.Token, Password: c.Password, Client: client(r)})
	return resp.GetSignIn(), peer(err)
}

// signIn runs f and gives the browser its session. The one it had before ends:
// nobody would look after it any more.
func (s *server) signIn(w http.ResponseWriter, r *http.Request, f signInFunc, c credentials) (*viewer, error) {
	in, err := f(r, s, c)
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
	return validText(agent[:min(len(agent), maxAgent)]) + " " + address(r)
}

func address(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	return host
}

// forwarded reports whether somebody on this machine asks for somebody else:
// what is open to this machine alone is not open to them.
func forwarded(r *http.Request) bool {
	if ip, err := netip.ParseAddr(address(r)); err != nil || !ip.Unmap().IsLoopback() {
		return false
	}
	for _, name := range []string{"X-Forwarded-For", "X-Forwarded-Host", "X-Real-Ip", "Forwarded", "Via"} {
		if len(r.Header.Values(name)) > 0 {
			return true
		}
	}
	return false
}

package web

import (
	"net"
	"net/http"
	"net/netip"

	"github.com/signalbox/signalbox/pkg/apperr"
	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
)

// maxUserAgentBytes is the maximum number of bytes of the User-Agent that are stored
// with a session.
const maxUserAgentBytes = 200

// credentials is the input of a sign-in form.
type credentials struct {
	Token, Email, Password, Name string
}

// signInFunc is one way to sign in, such as login or acceptInvite.
type signInFunc func(r *http.Request, s *server, c credentials) (*keyauthv1.SignIn, error)

func register(r *http.Request, s *server, c credentials) (*keyauthv1.SignIn, error) {
	if !s.BehindTrustedProxy && isForwarded(r) {
		return nil, apperr.New(apperr.RegistrationOff, "the request came through a reverse proxy that is not trusted; ask the operator to set --trusted-proxies")
	}
	resp, err := s.Accounts.Register(r.Context(), &keyauthv1.RegisterRequest{
		Email: c.Email, Password: c.Password, Name: c.Name, Client: describeClient(r),
	})
	return resp.GetSignIn(), toAccountsError(err)
}

func login(r *http.Request, s *server, c credentials) (*keyauthv1.SignIn, error) {
	resp, err := s.Accounts.Login(r.Context(), &keyauthv1.LoginRequest{Email: c.Email, Password: c.Password, Client: describeClient(r)})
	return resp.GetSignIn(), toAccountsError(err)
}

func claim(r *http.Request, s *server, c credentials) (*keyauthv1.SignIn, error) {
	resp, err := s.Accounts.Claim(r.Context(), &keyauthv1.ClaimRequest{Token: c.Token, Email: c.Email, Password: c.Password, Client: describeClient(r)})
	return resp.GetSignIn(), toAccountsError(err)
}

func acceptInvite(r *http.Request, s *server, c credentials) (*keyauthv1.SignIn, error) {
	resp, err := s.Accounts.AcceptInvite(r.Context(), &keyauthv1.AcceptInviteRequest{
		Token: c.Token, Email: c.Email, Password: c.Password, Name: c.Name, Client: describeClient(r),
	})
	return resp.GetSignIn(), toAccountsError(err)
}

func setPassword(r *http.Request, s *server, c credentials) (*keyauthv1.SignIn, error) {
	resp, err := s.Accounts.SetPassword(r.Context(), &keyauthv1.SetPasswordRequest{Token: c.Token, Password: c.Password, Client: describeClient(r)})
	return resp.GetSignIn(), toAccountsError(err)
}

// signIn runs f and sets the session cookie. It also ends the browser's previous
// session, because the new cookie replaces the cookie of that session.
func (s *server) signIn(w http.ResponseWriter, r *http.Request, f signInFunc, c credentials) (*viewer, error) {
	in, err := f(r, s, c)
	if err != nil {
		return nil, err
	}
	if err := s.endCurrentSession(r); err != nil {
		s.Log.Warn("cannot end the previous session of the browser", "request_id", requestID(r), "error", err)
	}
	s.setSessionCookie(w, in.GetToken())
	return newViewer(in.GetIdentity()), nil
}

// describeClient returns the User-Agent and the IP address. The list of sessions
// shows both.
func describeClient(r *http.Request) string {
	agent := r.UserAgent()
	return validText(agent[:min(len(agent), maxUserAgentBytes)]) + " " + clientAddress(r)
}

func clientAddress(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	return host
}

// isForwarded reports whether a reverse proxy on this machine forwarded the request.
// If only loopback clients may register, clients behind such a proxy must not pass
// as loopback.
func isForwarded(r *http.Request) bool {
	if ip, err := netip.ParseAddr(clientAddress(r)); err != nil || !ip.Unmap().IsLoopback() {
		return false
	}
	for _, name := range []string{"X-Forwarded-For", "X-Forwarded-Host", "X-Real-Ip", "Forwarded", "Via"} {
		if len(r.Header.Values(name)) > 0 {
			return true
		}
	}
	return false
}

package session

import (
	"net"
	"net/http"
	"net/netip"
	"slices"

	"github.com/signalbox/signalbox/pkg/apperr"
	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
	"github.com/signalbox/signalbox/services/dashboard/internal/access"
	"github.com/signalbox/signalbox/services/dashboard/internal/httpapi"
	"github.com/signalbox/signalbox/services/dashboard/internal/jsonvalue"
)

// maxUserAgentBytes is the maximum number of bytes of the User-Agent that are stored
// with a session.
const maxUserAgentBytes = 200

// Credentials is the input of a sign-in form.
type Credentials struct {
	Token, Email, Password, Name string
}

// SignInFunc is one way to sign in, such as Login or AcceptInvite.
type SignInFunc func(r *http.Request, s *Manager, c Credentials) (*keyauthv1.SignIn, error)

// Register creates an account with its first user.
func Register(r *http.Request, s *Manager, c Credentials) (*keyauthv1.SignIn, error) {
	if !s.BehindTrustedProxy && isForwarded(r) {
		return nil, apperr.New(apperr.RegistrationOff, "the request came through a reverse proxy that is not trusted; ask the operator to set --trusted-proxies")
	}
	resp, err := s.Accounts.Register(r.Context(), &keyauthv1.RegisterRequest{
		Email: c.Email, Password: c.Password, Name: c.Name, Client: describeClient(r),
	})
	return resp.GetSignIn(), httpapi.ToAccountsError(err)
}

// Login signs in with e-mail and password.
func Login(r *http.Request, s *Manager, c Credentials) (*keyauthv1.SignIn, error) {
	resp, err := s.Accounts.Login(r.Context(), &keyauthv1.LoginRequest{Email: c.Email, Password: c.Password, Client: describeClient(r)})
	return resp.GetSignIn(), httpapi.ToAccountsError(err)
}

// Claim sets up the operator account with a token.
func Claim(r *http.Request, s *Manager, c Credentials) (*keyauthv1.SignIn, error) {
	resp, err := s.Accounts.Claim(r.Context(), &keyauthv1.ClaimRequest{Token: c.Token, Email: c.Email, Password: c.Password, Client: describeClient(r)})
	return resp.GetSignIn(), httpapi.ToAccountsError(err)
}

// AcceptInvite creates a user with the token of an invite.
func AcceptInvite(r *http.Request, s *Manager, c Credentials) (*keyauthv1.SignIn, error) {
	resp, err := s.Accounts.AcceptInvite(r.Context(), &keyauthv1.AcceptInviteRequest{
		Token: c.Token, Email: c.Email, Password: c.Password, Name: c.Name, Client: describeClient(r),
	})
	return resp.GetSignIn(), httpapi.ToAccountsError(err)
}

// SetPassword replaces a password with the token of a reset.
func SetPassword(r *http.Request, s *Manager, c Credentials) (*keyauthv1.SignIn, error) {
	resp, err := s.Accounts.SetPassword(r.Context(), &keyauthv1.SetPasswordRequest{Token: c.Token, Password: c.Password, Client: describeClient(r)})
	return resp.GetSignIn(), httpapi.ToAccountsError(err)
}

// CheckToken returns an error if the token of a link does not work, so that a page can say
// so before the user fills in a form. It calls f without the form's fields: keyauth checks
// the token before the fields, and changes nothing if they are missing. Without a password,
// keyauth does not count a wrong token as a failed sign-in. Other errors are not the token's,
// so CheckToken ignores them.
func (s *Manager) CheckToken(r *http.Request, f SignInFunc, token string) error {
	_, err := f(r, s, Credentials{Token: token})
	if apperr.Is(err, apperr.TokenInvalid) {
		return err
	}
	return nil
}

// SignIn runs f and sets the session cookie. It also ends the browser's previous
// session, because the new cookie replaces the cookie of that session.
func (s *Manager) SignIn(w http.ResponseWriter, r *http.Request, f SignInFunc, c Credentials) (*access.Viewer, error) {
	in, err := f(r, s, c)
	if err != nil {
		return nil, err
	}
	if err := s.endCurrentSession(r); err != nil {
		s.Log.Warn("cannot end the previous session of the browser", "request_id", httpapi.RequestID(r), "error", err)
	}
	s.setSessionCookie(w, in.GetToken())
	return access.NewViewer(in.GetIdentity()), nil
}

// describeClient returns the User-Agent and the IP address. The list of sessions
// shows both.
func describeClient(r *http.Request) string {
	agent := r.UserAgent()
	return jsonvalue.ValidText(agent[:min(len(agent), maxUserAgentBytes)]) + " " + clientAddress(r)
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
	marks := []string{"X-Forwarded-For", "X-Forwarded-Host", "X-Real-Ip", "Forwarded", "Via"}
	return slices.ContainsFunc(marks, func(name string) bool { return len(r.Header.Values(name)) > 0 })
}

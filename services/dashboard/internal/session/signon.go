package session

import (
	"net/http"

	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
	"github.com/signalbox/signalbox/services/dashboard/internal/httpapi"
	"github.com/signalbox/signalbox/services/dashboard/internal/jsonvalue"
	"github.com/signalbox/signalbox/services/dashboard/internal/signon"
)

// SignOn signs in a person whom an issuer has identified. If the person started the sign-on
// on a page of the dashboard, it passes the browser's session on, with which keyauth can link
// the person to the user of a password.
func SignOn(p signon.Person) SignInFunc {
	return func(r *http.Request, s *Manager, _ Credentials) (*keyauthv1.SignIn, error) {
		role, err := jsonvalue.Roles.ParseOptional("role", p.Role)
		if err != nil {
			return nil, err
		}
		proof := ""
		if p.OwnClick {
			proof = s.readSessionToken(r)
		}
		resp, err := s.Accounts.SignOn(r.Context(), &keyauthv1.SignOnRequest{
			Issuer: p.Issuer, Subject: p.Subject, Email: p.Email, EmailVerified: p.EmailVerified, Role: role,
			Account: p.Account, Client: describeClient(r), SessionToken: proof,
		})
		return resp.GetSignIn(), httpapi.ToAccountsError(err)
	}
}

// Issuer returns the issuer of the request's session; empty for a password or no session.
func (s *Manager) Issuer(r *http.Request) string {
	v, err := s.Identify(r)
	if err != nil {
		return ""
	}
	return v.Session.GetIssuer()
}

package session

import "github.com/signalbox/signalbox/services/dashboard/internal/access"

// Routes returns the API calls for sign-in. The API calls the sessions of users sign-ins,
// because its sessions are those of agents.
func (s *Manager) Routes() []access.Route {
	return []access.Route{
		access.Public("POST", "/api/v1/register", s.apiRegister),
		access.Public("POST", "/api/v1/login", s.apiLogin),
		access.Public("POST", "/api/v1/claim", s.apiClaim),
		access.Public("POST", "/api/v1/invites/accept", s.apiAcceptInvite),
		access.Public("POST", "/api/v1/password/set", s.apiSetPassword),
		access.Public("POST", "/api/v1/logout", s.apiLogout),
		access.SignedIn("GET", "/api/v1/session", s.apiGetSession),
		access.SignedIn("GET", "/api/v1/sign-ins", s.apiListSignIns).PersonOnly(),
		access.SignedIn("DELETE", "/api/v1/sign-ins", s.apiEndOtherSignIns).PersonOnly(),
		access.SignedIn("DELETE", "/api/v1/sign-ins/{id}", s.apiEndSignIn).PersonOnly(),
		access.SignedIn("POST", "/api/v1/password", s.apiChangePassword).PersonOnly(),
	}
}

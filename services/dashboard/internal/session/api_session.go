package session

import (
	"net/http"

	"github.com/signalbox/signalbox/services/dashboard/internal/access"
	"github.com/signalbox/signalbox/services/dashboard/internal/httpapi"
	"github.com/signalbox/signalbox/services/dashboard/internal/jsonvalue"
)

type credentialsBody struct {
	Email    string `json:"email"`
	Password string `json:"password"`
	Name     string `json:"name"`
}

type claimBody struct {
	Token    string `json:"token"`
	Email    string `json:"email"`
	Password string `json:"password"`
}

type acceptBody struct {
	Token    string `json:"token"`
	Email    string `json:"email"`
	Password string `json:"password"`
	Name     string `json:"name"`
}

type setPasswordBody struct {
	Token    string `json:"token"`
	Password string `json:"password"`
}

type sessionJSON struct {
	Account accountName `json:"account"`
	User    userJSON    `json:"user"`
}

type accountName struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

type userJSON struct {
	Email string  `json:"email"`
	Role  *string `json:"role"`
}

func (s *Manager) apiRegister(w http.ResponseWriter, r *http.Request) error {
	return s.apiCredentials(w, r, Register)
}

func (s *Manager) apiLogin(w http.ResponseWriter, r *http.Request) error {
	return s.apiCredentials(w, r, Login)
}

func (s *Manager) apiCredentials(w http.ResponseWriter, r *http.Request, f SignInFunc) error {
	var b credentialsBody
	if err := httpapi.ReadJSON(w, r, &b); err != nil {
		return err
	}
	return s.apiSignIn(w, r, f, Credentials{Email: b.Email, Password: b.Password, Name: b.Name})
}

func (s *Manager) apiClaim(w http.ResponseWriter, r *http.Request) error {
	var b claimBody
	if err := httpapi.ReadJSON(w, r, &b); err != nil {
		return err
	}
	return s.apiSignIn(w, r, Claim, Credentials{Token: b.Token, Email: b.Email, Password: b.Password})
}

func (s *Manager) apiAcceptInvite(w http.ResponseWriter, r *http.Request) error {
	var b acceptBody
	if err := httpapi.ReadJSON(w, r, &b); err != nil {
		return err
	}
	return s.apiSignIn(w, r, AcceptInvite, Credentials(b))
}

func (s *Manager) apiSetPassword(w http.ResponseWriter, r *http.Request) error {
	var b setPasswordBody
	if err := httpapi.ReadJSON(w, r, &b); err != nil {
		return err
	}
	return s.apiSignIn(w, r, SetPassword, Credentials{Token: b.Token, Password: b.Password})
}

func (s *Manager) apiSignIn(w http.ResponseWriter, r *http.Request, f SignInFunc, c Credentials) error {
	v, err := s.SignIn(w, r, f, c)
	if err != nil {
		return err
	}
	return s.apiGetSession(w, r, v)
}

func (s *Manager) apiGetSession(w http.ResponseWriter, _ *http.Request, v *access.Viewer) error {
	return httpapi.WriteJSON(w, http.StatusOK, sessionJSON{
		Account: accountName{ID: v.Account.GetId(), Name: v.Account.GetName()},
		User:    userJSON{Email: v.User.GetEmail(), Role: jsonvalue.Roles.ToName(v.User.GetRole())},
	})
}

func (s *Manager) apiLogout(w http.ResponseWriter, r *http.Request) error {
	return httpapi.WriteNoContent(w, s.Logout(w, r))
}

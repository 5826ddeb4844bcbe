package web

import "net/http"

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

func (s *server) apiRegister(w http.ResponseWriter, r *http.Request) error {
	return s.apiCredentials(w, r, register)
}

func (s *server) apiLogin(w http.ResponseWriter, r *http.Request) error {
	return s.apiCredentials(w, r, login)
}

func (s *server) apiCredentials(w http.ResponseWriter, r *http.Request, f signInFunc) error {
	var b credentialsBody
	if err := readJSON(w, r, &b); err != nil {
		return err
	}
	return s.apiSignIn(w, r, f, credentials{Email: b.Email, Password: b.Password, Name: b.Name})
}

func (s *server) apiClaim(w http.ResponseWriter, r *http.Request) error {
	var b claimBody
	if err := readJSON(w, r, &b); err != nil {
		return err
	}
	return s.apiSignIn(w, r, claim, credentials{Token: b.Token, Email: b.Email, Password: b.Password})
}

func (s *server) apiAcceptInvite(w http.ResponseWriter, r *http.Request) error {
	var b acceptBody
	if err := readJSON(w, r, &b); err != nil {
		return err
	}
	return s.apiSignIn(w, r, acceptInvite, credentials(b))
}

func (s *server) apiSetPassword(w http.ResponseWriter, r *http.Request) error {
	var b setPasswordBody
	if err := readJSON(w, r, &b); err != nil {
		return err
	}
	return s.apiSignIn(w, r, setPassword, credentials{Token: b.Token, Password: b.Password})
}

func (s *server) apiSignIn(w http.ResponseWriter, r *http.Request, f signInFunc, c credentials) error {
	v, err := s.signIn(w, r, f, c)
	if err != nil {
		return err
	}
	return s.apiGetSession(w, r, v)
}

func (s *server) apiGetSession(w http.ResponseWriter, _ *http.Request, v *viewer) error {
	return writeJSON(w, http.StatusOK, sessionJSON{
		Account: accountName{ID: v.account.GetId(), Name: v.account.GetName()},
		User:    userJSON{Email: v.user.GetEmail(), Role: roles.toName(v.user.GetRole())},
	})
}

func (s *server) apiLogout(w http.ResponseWriter, r *http.Request) error {
	return writeNoContent(w, s.logout(w, r))
}

package web

import (
	"net/http"

	"github.com/signalbox/signalbox/pkg/apperr"
)

// form is one of the pages on which a person signs in.
type form struct {
	Path    string
	Title   string
	Lead    string
	Button  string
	NewUser bool   // choose a password rather than give one
	Nobody  bool   // the token says who it is
	Named   string // asks for the account's name, in these words
	Token   bool   // carries a token from the address
	run     signInFunc
}

var registerForm = form{
	Path: "/register", Title: "Create an account", Button: "Create account", NewUser: true, Named: "Name of the account (optional)", run: register,
	Lead: "An account has its own keys and its own ledger.",
}

var loginForm = form{
	Path: "/login", Title: "Sign in", Button: "Sign in", run: login,
	Lead: "Read the ledger, make and end keys.",
}

var claimForm = form{
	Path: "/claim", Title: "Claim this installation", Button: "Claim it", NewUser: true, Token: true, run: claim,
	Lead: "Choose the e-mail and the password of the operator. The link works once.",
}

var inviteForm = form{
	Path: "/invite", Title: "Accept the invite", Button: "Join", NewUser: true, Token: true, run: acceptInvite,
	Named: "Name of the account, if the invite makes a new one",
	Lead:  "Choose your e-mail and your password. The link works once.",
}

var passwordForm = form{
	Path: "/password", Title: "Set a new password", Button: "Set password", NewUser: true, Nobody: true, Token: true, run: setPassword,
	Lead: "Choose a new password. The link works once.",
}

// formView is a form with what was typed, save the password, and with what was
// wrong with it.
type formView struct {
	form
	Given credentials
	// Next is the page that was wanted; empty if none was.
	Next    string
	Problem string
	// Wrong names the field that the problem is with; empty if it is none's.
	Wrong string
}

func (s *server) pageForm(f form) action {
	return func(w http.ResponseWriter, r *http.Request) error {
		asked := r.URL.Query()
		out := formView{form: f, Next: ownPath(validText(asked.Get("next")))}
		if f.Token {
			out.Given.Token = validText(asked.Get("token"))
		}
		return s.renderForm(w, r, http.StatusOK, out)
	}
}

func (s *server) pageSignIn(f form) action {
	return func(w http.ResponseWriter, r *http.Request) error {
		if err := readForm(w, r); err != nil {
			return err
		}
		given := credentials{
			Token: typed(r, "token"), Email: typed(r, "email"), Password: typed(r, "password"), Name: typed(r, "name"),
		}
		v, err := s.signIn(w, r, f.run, given)
		if err != nil {
			given.Password = ""
			return s.refuseForm(w, r, formView{form: f, Given: given, Next: ownPath(typed(r, "next"))}, err)
		}
		http.Redirect(w, r, s.afterSignIn(r.Context(), v, typed(r, "next")), http.StatusSeeOther)
		return nil
	}
}

// refuseForm shows the form again with what was wrong; what is our fault is
// not shown there.
func (s *server) refuseForm(w http.ResponseWriter, r *http.Request, out formView, err error) error {
	e := apperr.From(err)
	status := e.Code.Spec().Status
	if status >= http.StatusInternalServerError {
		return err
	}
	out.Problem = e.Message
	switch e.Details["param"] {
	case "email", "password", "name":
		out.Wrong, _ = e.Details["param"].(string)
	}
	w.Header().Set("X-Error-Code", string(e.Code))
	return s.renderForm(w, r, status, out)
}

func (s *server) renderForm(w http.ResponseWriter, r *http.Request, status int, v formView) error {
	return s.render(w, status, "signin", s.view(r, v.Title, nil, v))
}

func (s *server) pageLogout(w http.ResponseWriter, r *http.Request) error {
	if err := s.logout(w, r); err != nil {
		return err
	}
	http.Redirect(w, r, loginForm.Path, http.StatusSeeOther)
	return nil
}

func typed(r *http.Request, name string) string { return validText(r.PostForm.Get(name)) }

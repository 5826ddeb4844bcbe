package web

import (
	"cmp"
	"net/http"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/services/dashboard/internal/access"
	"github.com/signalbox/signalbox/services/dashboard/internal/api/accounts"
	"github.com/signalbox/signalbox/services/dashboard/internal/httpapi"
	"github.com/signalbox/signalbox/services/dashboard/internal/jsonvalue"
	"github.com/signalbox/signalbox/services/dashboard/internal/session"
	"github.com/signalbox/signalbox/services/dashboard/internal/signon"
)

type form struct {
	Path      string
	Title     string
	Lead      string
	Button    string
	NewUser   bool   // the form sets a new password
	NoEmail   bool   // the form has no e-mail field; the token identifies the user
	NameLabel string // the label of the account name field; empty for no field
	Token     bool   // the form passes on the token from the URL
	NewLink   string // how to get another link if the token does not work
	run       session.SignInFunc
}

var registerForm = form{
	Path: "/register", Title: "Create an account", Button: "Create account", NewUser: true, NameLabel: "Account name (optional)", run: session.Register,
	Lead: "Each account has its own keys and its own requests.",
}

var loginForm = form{
	Path: "/login", Title: "Sign in", Button: "Sign in", run: session.Login,
	Lead: "See requests, spend and keys.",
}

var claimForm = form{
	Path: "/claim", Title: "Set up the operator account", Button: "Set up account", NewUser: true, Token: true, run: session.Claim,
	Lead:    "Enter the operator's e-mail address and choose a password. The link works once.",
	NewLink: "If the operator account is set up, sign in. Otherwise restart Signalbox: it prints a new link at every start.",
}

var inviteForm = form{
	Path: accounts.InvitePath, Title: "Accept the invite", Button: "Join", NewUser: true, Token: true, run: session.AcceptInvite,
	NameLabel: "Account name (only for an invite to a new account)",
	Lead:      "Enter your e-mail address and choose a password. The link works once.",
	NewLink:   "If you have accepted the invite, sign in. Otherwise ask for a new invite.",
}

var passwordForm = form{
	Path: "/password", Title: "Set a new password", Button: "Set password", NewUser: true, NoEmail: true, Token: true, run: session.SetPassword,
	Lead:    "Choose a new password. The link works once.",
	NewLink: "If you have set the password, sign in. Otherwise ask for a new link.",
}

// formView is a form with the values that the user submitted, and the error. It does
// not contain the password.
type formView struct {
	form
	Given session.Credentials
	// Next is the page to open after signing in; empty if none was requested.
	Next    string
	Problem string
	// Dead means that the token does not work. The page then has no form.
	Dead bool
	// Wrong names the invalid field; empty if the problem concerns no field.
	Wrong string
	// Unclaimed means that the operator's account has no owner yet. The page then starts
	// with how to claim it.
	Unclaimed bool
	// Closed means that visitors cannot create accounts.
	Closed bool
	// SignOns are the buttons of single sign-on.
	SignOns []signon.Button
	// SSOOnly means that only the operator can use a password.
	SSOOnly bool
}

func (s *server) pageShowForm(f form) access.Action {
	return func(w http.ResponseWriter, r *http.Request) error {
		query := r.URL.Query()
		out := formView{form: f, Next: localPath(jsonvalue.ValidText(query.Get("next")))}
		if !f.Token {
			return s.renderForm(w, r, http.StatusOK, out)
		}
		out.Given.Token = jsonvalue.ValidText(query.Get("token"))
		if err := s.sessions.CheckToken(r, f.run, out.Given.Token); err != nil {
			out.Dead = true
			return s.renderFormError(w, r, out, err)
		}
		return s.renderForm(w, r, http.StatusOK, out)
	}
}

func (s *server) pageSubmitForm(f form) access.Action {
	return func(w http.ResponseWriter, r *http.Request) error {
		if err := httpapi.ReadForm(w, r); err != nil {
			return err
		}
		given := session.Credentials{
			Token: formValue(r, "token"), Email: formValue(r, "email"), Password: formValue(r, "password"), Name: formValue(r, "name"),
		}
		v, err := s.sessions.SignIn(w, r, f.run, given)
		if err != nil {
			given.Password = ""
			return s.renderFormError(w, r, formView{form: f, Given: given, Next: localPath(formValue(r, "next"))}, err)
		}
		http.Redirect(w, r, s.landingPage(r.Context(), v, formValue(r, "next")), http.StatusSeeOther)
		return nil
	}
}

// renderFormError shows the form again with the problem. It returns errors of the
// server, so that the error page shows them.
func (s *server) renderFormError(w http.ResponseWriter, r *http.Request, out formView, err error) error {
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
	if !v.Token {
		installation := s.readInstallation(r.Context())
		v.Unclaimed, v.Closed, v.SSOOnly = installation.GetUnclaimed(), !installation.GetRegistrationOpen(), installation.GetSsoOnly()
	}
	if v.Path == loginForm.Path {
		v.SignOns = s.SignOn.Buttons()
	}
	return s.renderPage(w, status, "signin", s.newView(r, v.Title, nil, v))
}

func (s *server) pageLogout(w http.ResponseWriter, r *http.Request) error {
	issuer := s.sessions.Issuer(r)
	if err := s.sessions.Logout(w, r); err != nil {
		return err
	}
	http.Redirect(w, r, cmp.Or(s.SignOn.LogoutURL(issuer), loginForm.Path), http.StatusSeeOther)
	return nil
}

func formValue(r *http.Request, name string) string { return jsonvalue.ValidText(r.PostForm.Get(name)) }

package web

import (
	"net/http"
	"net/url"

	"github.com/signalbox/signalbox/pkg/apperr"
	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
)

// accountView is the account's people and what they did, and the viewer's own
// sessions.
type accountView struct {
	Problem  string
	Owner    bool // may change people
	Operator bool // may invite new accounts
	Self     string
	People   []personJSON
	Invites  []inviteJSON
	Sessions []signInJSON
	Changes  []changeJSON
	// Made is the invite that was just made; nil otherwise. It is shown once.
	Made *newInviteJSON
}

func (s *server) pageAccount(w http.ResponseWriter, r *http.Request, v *viewer) error {
	return s.renderAccount(w, r, v, http.StatusOK, accountView{})
}

func (s *server) renderAccount(w http.ResponseWriter, r *http.Request, v *viewer, status int, out accountView) error {
	out.Self, out.Owner = v.user.GetId(), v.user.GetRole() == keyauthv1.Role_ROLE_OWNER
	out.Operator = out.Owner && v.account.GetOperator()
	// An invite that was made must be shown even if the rest cannot be.
	if err := s.fillAccount(r, v, &out); err != nil && out.Made == nil {
		return err
	}
	return s.render(w, status, "account", s.view("Account", v, out))
}

func (s *server) fillAccount(r *http.Request, v *viewer, out *accountView) (err error) {
	ctx := r.Context()
	if out.People, err = s.listPeople(ctx, v); err != nil {
		return err
	}
	if out.Sessions, err = s.listSessions(ctx, v); err != nil {
		return err
	}
	if !out.Owner {
		return nil
	}
	if out.Invites, err = s.listInvites(ctx, v); err != nil {
		return err
	}
	out.Changes, _, err = s.audit(ctx, v, url.Values{})
	return err
}

// change is what a form of the account page does. The id is that of the
// address; empty where it has none.
type change func(w http.ResponseWriter, r *http.Request, v *viewer, id string) error

// pageChange makes a change and shows the account again: as it is then, or
// with what was wrong.
func (s *server) pageChange(what string, c change) action {
	return s.signedIn(func(w http.ResponseWriter, r *http.Request, v *viewer) error {
		if err := readForm(w, r); err != nil {
			return err
		}
		id, err := pathID(r, what)
		if err != nil {
			return err
		}
		if err := c(w, r, v, id); err != nil {
			return s.accountProblem(w, r, v, err)
		}
		http.Redirect(w, r, "/account", http.StatusSeeOther)
		return nil
	})
}

func (s *server) accountProblem(w http.ResponseWriter, r *http.Request, v *viewer, err error) error {
	e := apperr.From(err)
	status := e.Code.Spec().Status
	if status >= http.StatusInternalServerError || e.Code == apperr.SessionRequired {
		return err
	}
	w.Header().Set("X-Error-Code", string(e.Code))
	return s.renderAccount(w, r, v, status, accountView{Problem: e.Message})
}

// pageInvite answers with the link itself instead of a redirect, as it is kept
// nowhere.
func (s *server) pageInvite(w http.ResponseWriter, r *http.Request, v *viewer) error {
	if err := readForm(w, r); err != nil {
		return err
	}
	b := inviteBody{Role: typed(r, "role")}
	if b.Role == "account" {
		b = inviteBody{NewAccount: true}
	}
	made, err := s.invite(r.Context(), v, b)
	if err != nil {
		return s.accountProblem(w, r, v, err)
	}
	return s.renderAccount(w, r, v, http.StatusCreated, accountView{Made: &made})
}

func (s *server) formRole(_ http.ResponseWriter, r *http.Request, v *viewer, id string) error {
	_, err := s.changeRole(r.Context(), v, id, typed(r, "role"))
	return err
}

func (s *server) formRemove(_ http.ResponseWriter, r *http.Request, v *viewer, id string) error {
	return s.removePerson(r.Context(), v, id)
}

func (s *server) formRevokeInvite(_ http.ResponseWriter, r *http.Request, v *viewer, id string) error {
	return s.revokeInvite(r.Context(), v, id)
}

func (s *server) formEndOthers(_ http.ResponseWriter, r *http.Request, v *viewer, _ string) error {
	return s.endOthers(r.Context(), v)
}

func (s *server) formPassword(w http.ResponseWriter, r *http.Request, v *viewer, _ string) error {
	return s.changePassword(w, r, v, passwordBody{Current: typed(r, "current"), Password: typed(r, "password")})
}

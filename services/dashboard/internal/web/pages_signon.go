package web

import (
	"net/http"

	"github.com/signalbox/signalbox/services/dashboard/internal/jsonvalue"
	"github.com/signalbox/signalbox/services/dashboard/internal/session"
)

// pageStartSignOn sends the browser to an issuer.
func (s *server) pageStartSignOn(w http.ResponseWriter, r *http.Request) error {
	next := localPath(jsonvalue.ValidText(r.URL.Query().Get("next")))
	to, err := s.SignOn.Start(w, r, r.PathValue("name"), next)
	if err != nil {
		return s.renderFormError(w, r, formView{form: loginForm, Next: next}, err)
	}
	http.Redirect(w, r, to, http.StatusSeeOther)
	return nil
}

// pageFinishSignOn signs the person in whom the issuer has sent back.
func (s *server) pageFinishSignOn(w http.ResponseWriter, r *http.Request) error {
	person, err := s.SignOn.Finish(w, r, r.PathValue("name"))
	if err != nil {
		return s.renderFormError(w, r, formView{form: loginForm}, err)
	}
	v, err := s.sessions.SignIn(w, r, session.SignOn(person), session.Credentials{})
	if err != nil {
		return s.renderFormError(w, r, formView{form: loginForm, Next: person.Next}, err)
	}
	http.Redirect(w, r, s.landingPage(r.Context(), v, person.Next), http.StatusSeeOther)
	return nil
}

package web

import (
	"net/http"

	"github.com/signalbox/signalbox/pkg/apperr"
)

type keysView struct {
	Keys []keyJSON
	// Made is the key that was just created; nil otherwise. It is shown once.
	Made    *keyJSON
	Name    string
	Problem string
}

func (s *server) pageKeys(w http.ResponseWriter, r *http.Request, v *viewer) error {
	return s.renderKeys(w, r, v, http.StatusOK, keysView{})
}

// pageCreateKey answers with the key itself instead of a redirect: it must
// never be in an address, and it is kept nowhere.
func (s *server) pageCreateKey(w http.ResponseWriter, r *http.Request, v *viewer) error {
	if err := readForm(w, r); err != nil {
		return err
	}
	out, status := keysView{Name: typed(r, "name")}, http.StatusCreated
	made, secret, err := s.createKey(r.Context(), v, &keyBody{Name: field[string]{Given: true, Value: out.Name}})
	if err != nil {
		e := apperr.From(err)
		if status = e.Code.Spec().Status; status >= http.StatusInternalServerError {
			return err
		}
		w.Header().Set("X-Error-Code", string(e.Code))
		out.Problem = e.Message
	} else {
		shown := toKeyJSON(made, secret)
		out.Made, out.Name = &shown, ""
	}
	return s.renderKeys(w, r, v, status, out)
}

func (s *server) renderKeys(w http.ResponseWriter, r *http.Request, v *viewer, status int, out keysView) error {
	all, err := s.listKeys(r.Context(), v)
	if err != nil && out.Made == nil {
		return err
	}
	// A key that was made must be shown even if the list cannot be.
	for _, k := range all {
		out.Keys = append(out.Keys, toKeyJSON(k, ""))
	}
	return s.render(w, status, "keys", s.view("Keys", v, out))
}

func (s *server) pageRevokeKey(w http.ResponseWriter, r *http.Request, v *viewer) error {
	id, err := pathID(r, "key")
	if err != nil {
		return err
	}
	if _, err := s.revokeKey(r.Context(), v, id); err != nil {
		return err
	}
	http.Redirect(w, r, "/keys", http.StatusSeeOther)
	return nil
}

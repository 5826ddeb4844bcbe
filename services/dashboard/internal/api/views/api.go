// Package views serves the saved views of the request log. Every user can save private views.
// Members can share a view with the account. web serves the routes.
package views

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"

	"github.com/signalbox/signalbox/pkg/apperr"
	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
	"github.com/signalbox/signalbox/services/dashboard/internal/access"
	"github.com/signalbox/signalbox/services/dashboard/internal/httpapi"
	"github.com/signalbox/signalbox/services/dashboard/internal/readlimit"
	"github.com/signalbox/signalbox/services/dashboard/internal/savedview"
)

const (
	maxName  = 60   // characters
	maxQuery = 2000 // bytes
)

// Store keeps the views.
type Store interface {
	SaveView(ctx context.Context, v savedview.View) error
	Views(ctx context.Context, account, user string) ([]savedview.View, error)
	DeleteView(ctx context.Context, account, user, id string, ofOthers bool) error
}

// API holds the handlers and their dependencies.
type API struct{ Store Store }

// Routes returns the API calls of saved views.
func (s *API) Routes() []access.Route {
	return []access.Route{
		access.SignedIn("GET", "/api/v1/views", s.apiListViews),
		access.SignedIn("POST", "/api/v1/views", s.apiSaveView),
		access.SignedIn("DELETE", "/api/v1/views/{id}", s.apiDeleteView),
	}
}

type viewJSON struct {
	ID      string    `json:"id"`
	Name    string    `json:"name"`
	Query   string    `json:"query"`
	Shared  bool      `json:"shared"`
	Author  string    `json:"author"`
	Own     bool      `json:"own"`
	Created time.Time `json:"created"`
}

func toJSON(of savedview.View, v *access.Viewer) viewJSON {
	return viewJSON{ID: of.ID, Name: of.Name, Query: of.Query, Shared: of.Shared, Author: of.Author, Own: of.AuthorID == v.User.GetId(), Created: of.Created}
}

func (s *API) apiListViews(w http.ResponseWriter, r *http.Request, v *access.Viewer) error {
	ctx, cancel := context.WithTimeout(r.Context(), readlimit.Timeout)
	defer cancel()
	all, err := s.Store.Views(ctx, v.Account.GetId(), v.User.GetId())
	if err != nil {
		return err
	}
	items := []viewJSON{}
	for _, one := range all {
		items = append(items, toJSON(one, v))
	}
	return httpapi.WriteJSON(w, http.StatusOK, map[string]any{"items": items})
}

type viewBody struct {
	Name   string `json:"name"`
	Query  string `json:"query"`
	Shared bool   `json:"shared"`
}

func (b *viewBody) validate() error {
	b.Name = strings.TrimSpace(b.Name)
	if n := utf8.RuneCountInString(b.Name); n == 0 || n > maxName || strings.ContainsFunc(b.Name, unicode.IsControl) {
		return httpapi.InvalidParam("name", "use a name of 1 to 60 characters")
	}
	if _, err := url.ParseQuery(b.Query); err != nil || len(b.Query) > maxQuery || strings.ContainsFunc(b.Query, unicode.IsControl) {
		return httpapi.InvalidParam("query", "the query must be the query string of the request log, of at most 2000 bytes")
	}
	return nil
}

func (s *API) apiSaveView(w http.ResponseWriter, r *http.Request, v *access.Viewer) error {
	var body viewBody
	if err := httpapi.ReadJSON(w, r, &body); err != nil {
		return err
	}
	if err := body.validate(); err != nil {
		return err
	}
	role := v.User.GetRole()
	switch {
	case v.User.GetId() == "": // on the operator socket
		return apperr.New(apperr.AuthForbidden, "views belong to users; sign in to save one")
	case body.Shared && role != keyauthv1.Role_ROLE_MEMBER && role != keyauthv1.Role_ROLE_OWNER:
		return apperr.New(apperr.AuthForbidden, "only members and owners of the account may share a view")
	}
	one := savedview.View{
		ID: uuid.NewString(), AccountID: v.Account.GetId(), AuthorID: v.User.GetId(), Author: v.User.GetEmail(),
		Name: body.Name, Query: body.Query, Shared: body.Shared, Created: time.Now().UTC().Truncate(time.Microsecond),
	}
	ctx, cancel := context.WithTimeout(r.Context(), readlimit.Timeout)
	defer cancel()
	err := s.Store.SaveView(ctx, one)
	return httpapi.WriteResult(w, http.StatusCreated, toJSON(one, v), err)
}

func (s *API) apiDeleteView(w http.ResponseWriter, r *http.Request, v *access.Viewer) error {
	id, err := httpapi.ParsePathID(r, "view")
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(r.Context(), readlimit.Timeout)
	defer cancel()
	owner := v.User.GetRole() == keyauthv1.Role_ROLE_OWNER
	return httpapi.WriteNoContent(w, s.Store.DeleteView(ctx, v.Account.GetId(), v.User.GetId(), id, owner))
}

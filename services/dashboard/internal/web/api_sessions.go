package web

import (
	"context"
	"net/http"

	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
)

// signInJSON is one of the viewer's sessions.
type signInJSON struct {
	ID        string  `json:"id"`
	CreatedAt *string `json:"created_at"`
	ExpiresAt *string `json:"expires_at"`
	Client    string  `json:"client"`
	// Current is the one that asks.
	Current bool `json:"current"`
}

func (s *server) listSessions(ctx context.Context, v *viewer) ([]signInJSON, error) {
	resp, err := s.Accounts.ListSessions(ctx, &keyauthv1.ListSessionsRequest{Actor: v.actor()})
	return each(resp.GetSessions(), func(one *keyauthv1.Session) signInJSON {
		return signInJSON{
			ID: one.GetId(), CreatedAt: stampText(one.GetCreatedAt()), ExpiresAt: stampText(one.GetExpiresAt()),
			Client: one.GetClient(), Current: one.GetId() == v.session.GetId(),
		}
	}), peer(err)
}

// endSession ends one of the viewer's. With the present one goes the cookie.
func (s *server) endSession(w http.ResponseWriter, r *http.Request, v *viewer, id string) error {
	_, err := s.Accounts.EndSession(r.Context(), &keyauthv1.EndSessionRequest{Actor: v.actor(), SessionId: id})
	if err == nil && id == v.session.GetId() {
		s.dropCookie(w)
	}
	return peer(err)
}

// endOthers ends all of the viewer's sessions but the one that asks.
func (s *server) endOthers(ctx context.Context, v *viewer) error {
	_, err := s.Accounts.EndSessions(ctx, &keyauthv1.EndSessionsRequest{Actor: v.actor(), ExceptSessionId: v.session.GetId()})
	return peer(err)
}

type passwordBody struct {
	Current  string `json:"current"`
	Password string `json:"password"`
}

// changePassword also ends all of the viewer's sessions, and gives the browser
// a new one: a copy of the old cookie is worth nothing from then on.
func (s *server) changePassword(w http.ResponseWriter, r *http.Request, v *viewer, b passwordBody) error {
	resp, err := s.Accounts.ChangePassword(r.Context(), &keyauthv1.ChangePasswordRequest{
		Actor: v.actor(), SessionId: v.session.GetId(), Current: b.Current, Password: b.Password,
	})
	if token := resp.GetSignIn().GetToken(); token != "" {
		s.setCookie(w, token)
	}
	return peer(err)
}

func (s *server) apiSessions(w http.ResponseWriter, r *http.Request, v *viewer) error {
	items, err := s.listSessions(r.Context(), v)
	if err != nil {
		return err
	}
	return writeItems(w, items)
}

func (s *server) apiEndSession(w http.ResponseWriter, r *http.Request, v *viewer) error {
	id, err := pathID(r, "session")
	if err != nil {
		return err
	}
	return writeDone(w, s.endSession(w, r, v, id))
}

func (s *server) apiEndOthers(w http.ResponseWriter, r *http.Request, v *viewer) error {
	return writeDone(w, s.endOthers(r.Context(), v))
}

func (s *server) apiChangePassword(w http.ResponseWriter, r *http.Request, v *viewer) error {
	var b passwordBody
	if err := readJSON(w, r, &b); err != nil {
		return err
	}
	return writeDone(w, s.changePassword(w, r, v, b))
}

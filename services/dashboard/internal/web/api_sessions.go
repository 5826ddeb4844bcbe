package web

import (
	"context"
	"net/http"

	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
)

type listedSessionJSON struct {
	ID        string  `json:"id"`
	CreatedAt *string `json:"created_at"`
	ExpiresAt *string `json:"expires_at"`
	Client    string  `json:"client"`
	// Current marks the session that sent this request.
	Current bool `json:"current"`
}

func (s *server) listSessions(ctx context.Context, v *viewer) ([]listedSessionJSON, error) {
	resp, err := s.Accounts.ListSessions(ctx, &keyauthv1.ListSessionsRequest{Actor: v.actor()})
	return convertAll(resp.GetSessions(), func(one *keyauthv1.Session) listedSessionJSON {
		return listedSessionJSON{
			ID: one.GetId(), CreatedAt: formatTimestamp(one.GetCreatedAt()), ExpiresAt: formatTimestamp(one.GetExpiresAt()),
			Client: one.GetClient(), Current: one.GetId() == v.session.GetId(),
		}
	}), toAccountsError(err)
}

// endSession ends one of the user's sessions. If it is the current session,
// endSession also clears the cookie.
func (s *server) endSession(w http.ResponseWriter, r *http.Request, v *viewer, id string) error {
	_, err := s.Accounts.EndSession(r.Context(), &keyauthv1.EndSessionRequest{Actor: v.actor(), SessionId: id})
	if err == nil && id == v.session.GetId() {
		s.clearSessionCookie(w)
	}
	return toAccountsError(err)
}

func (s *server) endOtherSessions(ctx context.Context, v *viewer) error {
	_, err := s.Accounts.EndSessions(ctx, &keyauthv1.EndSessionsRequest{Actor: v.actor(), ExceptSessionId: v.session.GetId()})
	return toAccountsError(err)
}

type passwordBody struct {
	Current  string `json:"current"`
	Password string `json:"password"`
}

// changePassword changes the password, ends all sessions of the user, and starts a
// new session for this browser. A stolen cookie then no longer works.
func (s *server) changePassword(w http.ResponseWriter, r *http.Request, v *viewer, b passwordBody) error {
	resp, err := s.Accounts.ChangePassword(r.Context(), &keyauthv1.ChangePasswordRequest{
		Actor: v.actor(), SessionId: v.session.GetId(), Current: b.Current, Password: b.Password,
	})
	if token := resp.GetSignIn().GetToken(); token != "" {
		s.setSessionCookie(w, token)
	}
	return toAccountsError(err)
}

func (s *server) apiListSessions(w http.ResponseWriter, r *http.Request, v *viewer) error {
	items, err := s.listSessions(r.Context(), v)
	if err != nil {
		return err
	}
	return writeItems(w, items)
}

func (s *server) apiEndSession(w http.ResponseWriter, r *http.Request, v *viewer) error {
	id, err := parsePathID(r, "session")
	if err != nil {
		return err
	}
	return writeNoContent(w, s.endSession(w, r, v, id))
}

func (s *server) apiEndOtherSessions(w http.ResponseWriter, r *http.Request, v *viewer) error {
	return writeNoContent(w, s.endOtherSessions(r.Context(), v))
}

func (s *server) apiChangePassword(w http.ResponseWriter, r *http.Request, v *viewer) error {
	var b passwordBody
	if err := readJSON(w, r, &b); err != nil {
		return err
	}
	return writeNoContent(w, s.changePassword(w, r, v, b))
}

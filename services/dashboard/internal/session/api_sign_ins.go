package session

import (
	"net/http"

	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
	"github.com/signalbox/signalbox/services/dashboard/internal/access"
	"github.com/signalbox/signalbox/services/dashboard/internal/httpapi"
	"github.com/signalbox/signalbox/services/dashboard/internal/jsonvalue"
)

type signInJSON struct {
	ID        string  `json:"id"`
	CreatedAt *string `json:"created_at"`
	ExpiresAt *string `json:"expires_at"`
	Client    string  `json:"client"`
	// Current marks the session that sent this request.
	Current bool `json:"current"`
}

func (s *Manager) apiListSignIns(w http.ResponseWriter, r *http.Request, v *access.Viewer) error {
	resp, err := s.Accounts.ListSessions(r.Context(), &keyauthv1.ListSessionsRequest{Actor: v.Actor()})
	items := jsonvalue.ConvertAll(resp.GetSessions(), func(one *keyauthv1.Session) signInJSON {
		return signInJSON{
			ID: one.GetId(), CreatedAt: jsonvalue.FormatTimestamp(one.GetCreatedAt()), ExpiresAt: jsonvalue.FormatTimestamp(one.GetExpiresAt()),
			Client: one.GetClient(), Current: one.GetId() == v.Session.GetId(),
		}
	})
	return httpapi.WriteItems(w, items, httpapi.ToAccountsError(err))
}

// apiEndSignIn ends one of the user's sessions. If it is the current session, it
// also clears the cookie.
func (s *Manager) apiEndSignIn(w http.ResponseWriter, r *http.Request, v *access.Viewer) error {
	id, err := httpapi.ParsePathID(r, "sign-in")
	if err != nil {
		return err
	}
	_, err = s.Accounts.EndSession(r.Context(), &keyauthv1.EndSessionRequest{Actor: v.Actor(), SessionId: id})
	if err == nil && id == v.Session.GetId() {
		s.clearSessionCookie(w)
	}
	return httpapi.WriteNoContent(w, httpapi.ToAccountsError(err))
}

func (s *Manager) apiEndOtherSignIns(w http.ResponseWriter, r *http.Request, v *access.Viewer) error {
	_, err := s.Accounts.EndSessions(r.Context(), &keyauthv1.EndSessionsRequest{Actor: v.Actor(), ExceptSessionId: v.Session.GetId()})
	return httpapi.WriteNoContent(w, httpapi.ToAccountsError(err))
}

// apiChangePassword changes the password, ends all sessions of the user, and starts a
// new session for this browser. A stolen cookie then no longer works.
func (s *Manager) apiChangePassword(w http.ResponseWriter, r *http.Request, v *access.Viewer) error {
	var b struct {
		Current  string `json:"current"`
		Password string `json:"password"`
	}
	if err := httpapi.ReadJSON(w, r, &b); err != nil {
		return err
	}
	resp, err := s.Accounts.ChangePassword(r.Context(), &keyauthv1.ChangePasswordRequest{
		Actor: v.Actor(), SessionId: v.Session.GetId(), Current: b.Current, Password: b.Password,
	})
	if token := resp.GetSignIn().GetToken(); token != "" {
		s.setSessionCookie(w, token)
	}
	return httpapi.WriteNoContent(w, httpapi.ToAccountsError(err))
}

package web

import (
	"net/http"

	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
)

// apiRotateWebhookSecret creates a new secret for signing notices. The new
// secret replaces the old one.
func (s *server) apiRotateWebhookSecret(w http.ResponseWriter, r *http.Request, v *viewer) error {
	resp, err := s.Accounts.RotateWebhookSecret(r.Context(), &keyauthv1.RotateWebhookSecretRequest{Actor: v.actor()})
	if err = toAccountsError(err); err != nil {
		return err
	}
	return writeJSON(w, http.StatusCreated, map[string]string{"secret": resp.GetSecret()})
}

// apiTestWebhook sends a test notice. A failed delivery is a result, not an error
// of this call.
func (s *server) apiTestWebhook(w http.ResponseWriter, r *http.Request, v *viewer) error {
	resp, err := s.Accounts.TestWebhook(r.Context(), &keyauthv1.TestWebhookRequest{Actor: v.actor()})
	if err = toAccountsError(err); err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, map[string]any{"status": nullIfZero(resp.GetStatus()), "error": nullIfZero(resp.GetError())})
}

package web

import (
	"net/http"

	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
)

// apiWebhookSecret makes the secret that notices are signed with, and ends the
// one before it.
func (s *server) apiWebhookSecret(w http.ResponseWriter, r *http.Request, v *viewer) error {
	resp, err := s.Accounts.RotateWebhookSecret(r.Context(), &keyauthv1.RotateWebhookSecretRequest{Actor: v.actor()})
	if err = peer(err); err != nil {
		return err
	}
	return writeJSON(w, http.StatusCreated, map[string]string{"secret": resp.GetSecret()})
}

// apiTestWebhook sends one notice. That the webhook did not take it is an answer
// and no failure of ours.
func (s *server) apiTestWebhook(w http.ResponseWriter, r *http.Request, v *viewer) error {
	resp, err := s.Accounts.TestWebhook(r.Context(), &keyauthv1.TestWebhookRequest{Actor: v.actor()})
	if err = peer(err); err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, map[string]any{"status": orNull(resp.GetStatus()), "error": orNull(resp.GetError())})
}

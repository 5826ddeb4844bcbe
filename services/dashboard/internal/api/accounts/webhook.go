package accounts

import (
	"net/http"

	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
	"github.com/signalbox/signalbox/services/dashboard/internal/access"
	"github.com/signalbox/signalbox/services/dashboard/internal/httpapi"
	"github.com/signalbox/signalbox/services/dashboard/internal/jsonvalue"
)

// apiRotateWebhookSecret creates a new secret for signing notices. The new
// secret replaces the old one.
func (s *API) apiRotateWebhookSecret(w http.ResponseWriter, r *http.Request, v *access.Viewer) error {
	resp, err := s.Accounts.RotateWebhookSecret(r.Context(), &keyauthv1.RotateWebhookSecretRequest{Actor: v.Actor()})
	return httpapi.WriteResult(w, http.StatusCreated, map[string]string{"secret": resp.GetSecret()}, httpapi.ToAccountsError(err))
}

// apiTestWebhook sends a test notice. A failed delivery is a result, not an error
// of this call.
func (s *API) apiTestWebhook(w http.ResponseWriter, r *http.Request, v *access.Viewer) error {
	resp, err := s.Accounts.TestWebhook(r.Context(), &keyauthv1.TestWebhookRequest{Actor: v.Actor()})
	test := map[string]any{"status": jsonvalue.NullIfZero(resp.GetStatus()), "error": jsonvalue.NullIfZero(resp.GetError())}
	return httpapi.WriteResult(w, http.StatusOK, test, httpapi.ToAccountsError(err))
}

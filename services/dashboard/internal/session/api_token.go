package session

import (
	"crypto/sha256"
	"net/http"
	"strings"

	"github.com/signalbox/signalbox/pkg/apperr"
	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
	"github.com/signalbox/signalbox/services/dashboard/internal/access"
	"github.com/signalbox/signalbox/services/dashboard/internal/httpapi"
)

// apiTokenPrefix starts every API token. Other values of the Authorization header are
// ignored, because reverse proxies add their own.
const apiTokenPrefix = "sbx_token_"

// readAPIToken returns the token of an API call, or "". Pages are for browsers only.
func readAPIToken(r *http.Request) string {
	kind, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	token = strings.TrimSpace(token)
	if !strings.EqualFold(kind, "Bearer") || !strings.HasPrefix(token, apiTokenPrefix) || !strings.HasPrefix(r.URL.Path, "/api/") {
		return ""
	}
	return token
}

func (s *Manager) identifyToken(r *http.Request, token string) (*access.Viewer, error) {
	digest := sha256.Sum256([]byte(token))
	resp, err := s.Accounts.GetApiTokenIdentity(r.Context(), &keyauthv1.GetApiTokenIdentityRequest{Digest: digest[:]})
	if err = httpapi.ToAccountsError(err); err != nil {
		return nil, err
	}
	v := access.NewViewer(resp.GetIdentity())
	v.Token = resp.GetToken()
	// Without these checks, an incomplete response could act as the operator's command
	// line or without the limits of its scopes.
	if v.Account.GetId() == "" || v.User.GetId() == "" || v.Token == nil {
		return nil, apperr.New(apperr.SessionRequired, "the API token is not valid")
	}
	return v, nil
}

package accounts

import (
	"net/http"
	"time"

	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
	"github.com/signalbox/signalbox/services/dashboard/internal/access"
	"github.com/signalbox/signalbox/services/dashboard/internal/httpapi"
	"github.com/signalbox/signalbox/services/dashboard/internal/jsonvalue"
)

// tokenJSON is an API token. The field Token is its secret. Only the response that
// creates a token contains the secret.
type tokenJSON struct {
	ID     string   `json:"id"`
	Name   string   `json:"name"`
	Prefix string   `json:"prefix"`
	Scopes []string `json:"scopes"`
	// UserID and Email are those of the user as whom the token acts.
	UserID    string  `json:"user_id"`
	Email     string  `json:"email"`
	CreatedAt *string `json:"created_at"`
	ExpiresAt *string `json:"expires_at"`
	// LastUsedAt is at most an hour late.
	LastUsedAt *string `json:"last_used_at"`

	Token string `json:"token,omitempty"`
}

func toTokenJSON(t *keyauthv1.ApiToken, secret string) tokenJSON {
	return tokenJSON{
		ID: t.GetId(), Name: t.GetName(), Prefix: t.GetPrefix(), Scopes: jsonvalue.OrEmpty(t.GetScopes()),
		UserID: t.GetUserId(), Email: t.GetEmail(), CreatedAt: jsonvalue.FormatTimestamp(t.GetCreatedAt()),
		ExpiresAt: jsonvalue.FormatTimestamp(t.GetExpiresAt()), LastUsedAt: jsonvalue.FormatTimestamp(t.GetLastUsedAt()), Token: secret,
	}
}

func (s *API) apiListTokens(w http.ResponseWriter, r *http.Request, v *access.Viewer) error {
	resp, err := s.Accounts.ListApiTokens(r.Context(), &keyauthv1.ListApiTokensRequest{Actor: v.Actor()})
	items := jsonvalue.ConvertAll(resp.GetTokens(), func(t *keyauthv1.ApiToken) tokenJSON { return toTokenJSON(t, "") })
	return httpapi.WriteItems(w, items, httpapi.ToAccountsError(err))
}

func (s *API) apiCreateToken(w http.ResponseWriter, r *http.Request, v *access.Viewer) error {
	var b struct {
		Name      string     `json:"name"`
		Scopes    []string   `json:"scopes"`
		ExpiresAt *time.Time `json:"expires_at"`
	}
	if err := httpapi.ReadJSON(w, r, &b); err != nil {
		return err
	}
	resp, err := s.Accounts.CreateApiToken(r.Context(), &keyauthv1.CreateApiTokenRequest{
		Actor: v.Actor(), Name: b.Name, Scopes: b.Scopes, ExpiresAt: toTimestamp(b.ExpiresAt),
	})
	return httpapi.WriteResult(w, http.StatusCreated, toTokenJSON(resp.GetToken(), resp.GetSecret()), httpapi.ToAccountsError(err))
}

func (s *API) apiRevokeToken(w http.ResponseWriter, r *http.Request, v *access.Viewer) error {
	id, err := httpapi.ParsePathID(r, "token")
	if err != nil {
		return err
	}
	_, err = s.Accounts.RevokeApiToken(r.Context(), &keyauthv1.RevokeApiTokenRequest{Actor: v.Actor(), ApiTokenId: id})
	return httpapi.WriteNoContent(w, httpapi.ToAccountsError(err))
}

package accounts

import (
	"net/http"

	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
	"github.com/signalbox/signalbox/services/dashboard/internal/access"
	"github.com/signalbox/signalbox/services/dashboard/internal/httpapi"
	"github.com/signalbox/signalbox/services/dashboard/internal/jsonvalue"
)

// keyJSON is an API key. The field Key is its secret. Only the responses that create
// or rotate a key contain the secret.
type keyJSON struct {
	ID            string     `json:"id"`
	Name          string     `json:"name"`
	Prefix        string     `json:"prefix"`
	State         *string    `json:"state"`
	Scopes        []string   `json:"scopes"`
	Models        []string   `json:"models"`
	Tags          []string   `json:"tags"`
	Limits        limitsJSON `json:"limits"`
	Budget        budgetJSON `json:"budget"`
	MaySwapModel  bool       `json:"may_swap_model"`
	BaselineModel *string    `json:"baseline_model"`
	Capture       *string    `json:"capture"`
	ErrorFormat   *string    `json:"error_format"`
	// User and Agent replace what clients say; null means that clients say it.
	User       *string `json:"user"`
	Agent      *string `json:"agent"`
	CreatedAt  *string `json:"created_at"`
	ExpiresAt  *string `json:"expires_at"`
	RevokedAt  *string `json:"revoked_at"`
	ReplacedBy *string `json:"replaced_by"`
	// LastUsedAt and LastUsedFrom are updated a few seconds after a use.
	LastUsedAt   *string `json:"last_used_at"`
	LastUsedFrom *string `json:"last_used_from"`

	Key string `json:"key,omitempty"`
}

type limitsJSON struct {
	RequestsPerMinute  int64 `json:"requests_per_minute"`
	TokensPerMinute    int64 `json:"tokens_per_minute"`
	ConcurrentRequests int64 `json:"concurrent_requests"`
}

type budgetJSON struct {
	NanoUSDPerDay   int64 `json:"nano_usd_per_day"`
	NanoUSDPerMonth int64 `json:"nano_usd_per_month"`
}

func toKeyJSON(k *keyauthv1.Key, secret string) keyJSON {
	s, limits := k.GetSettings(), toLimitsJSON(k.GetSettings().GetLimits())
	return keyJSON{
		ID: k.GetId(), Name: s.GetName(), Prefix: k.GetPrefix(), State: jsonvalue.KeyStates.ToName(k.GetState()),
		Scopes: jsonvalue.OrEmpty(s.GetScopes()), Models: jsonvalue.OrEmpty(s.GetModels()), Tags: jsonvalue.OrEmpty(s.GetTags()),
		Limits: limits.limitsJSON, Budget: limits.budgetJSON,
		MaySwapModel: s.GetMaySwapModel(), BaselineModel: jsonvalue.NullIfZero(s.GetBaselineModel()),
		Capture: jsonvalue.Captures.ToName(s.GetCapture()), ErrorFormat: jsonvalue.ErrorFormats.ToName(s.GetErrorFormat()),
		User: jsonvalue.NullIfZero(s.GetUser()), Agent: jsonvalue.NullIfZero(s.GetAgent()),
		CreatedAt: jsonvalue.FormatTimestamp(k.GetCreatedAt()), ExpiresAt: jsonvalue.FormatTimestamp(s.GetExpiresAt()),
		RevokedAt: jsonvalue.FormatTimestamp(k.GetRevokedAt()), ReplacedBy: jsonvalue.NullIfZero(k.GetReplacedBy()),
		LastUsedAt: jsonvalue.FormatTimestamp(k.GetLastUsedAt()), LastUsedFrom: jsonvalue.NullIfZero(k.GetLastUsedFrom()), Key: secret,
	}
}

func (s *API) apiListKeys(w http.ResponseWriter, r *http.Request, v *access.Viewer) error {
	all, err := s.listKeys(r.Context(), v)
	return httpapi.WriteItems(w, jsonvalue.ConvertAll(all, func(k *keyauthv1.Key) keyJSON { return toKeyJSON(k, "") }), err)
}

func (s *API) apiCreateKey(w http.ResponseWriter, r *http.Request, v *access.Viewer) error {
	var b keyBody
	if err := httpapi.ReadJSON(w, r, &b); err != nil {
		return err
	}
	if err := s.checkBaselineModel(r.Context(), b.BaselineModel); err != nil {
		return err
	}
	k, secret, err := s.createKey(r.Context(), v, &b)
	return httpapi.WriteResult(w, http.StatusCreated, toKeyJSON(k, secret), err)
}

func (s *API) apiUpdateKey(w http.ResponseWriter, r *http.Request, v *access.Viewer) error {
	var b keyBody
	if err := httpapi.ReadJSON(w, r, &b); err != nil {
		return err
	}
	id, err := httpapi.ParsePathID(r, "key")
	if err != nil {
		return err
	}
	if err := s.checkBaselineModel(r.Context(), b.BaselineModel); err != nil {
		return err
	}
	k, err := s.updateKey(r.Context(), v, id, &b)
	return httpapi.WriteResult(w, http.StatusOK, toKeyJSON(k, ""), err)
}

// apiRotateKey requires overlap_seconds. A default of 0 would cut off clients
// that still use the old key if the caller forgets the field.
func (s *API) apiRotateKey(w http.ResponseWriter, r *http.Request, v *access.Viewer) error {
	var b struct {
		OverlapSeconds *int64 `json:"overlap_seconds"`
	}
	if err := httpapi.ReadJSON(w, r, &b); err != nil {
		return err
	}
	if b.OverlapSeconds == nil || *b.OverlapSeconds < 0 {
		return httpapi.InvalidParam("overlap_seconds", "overlap_seconds is required; set how long the old key keeps working, 0 or more")
	}
	id, err := httpapi.ParsePathID(r, "key")
	if err != nil {
		return err
	}
	resp, err := s.Accounts.RotateKey(r.Context(), &keyauthv1.RotateKeyRequest{
		Actor: v.Actor(), KeyId: id, OverlapSeconds: *b.OverlapSeconds,
	})
	return httpapi.WriteResult(w, http.StatusCreated, toKeyJSON(resp.GetKey(), resp.GetSecret()), httpapi.ToAccountsError(err))
}

func (s *API) apiRevokeKey(w http.ResponseWriter, r *http.Request, v *access.Viewer) error {
	id, err := httpapi.ParsePathID(r, "key")
	if err != nil {
		return err
	}
	resp, err := s.Accounts.RevokeKey(r.Context(), &keyauthv1.RevokeKeyRequest{Actor: v.Actor(), KeyId: id})
	return httpapi.WriteResult(w, http.StatusOK, toKeyJSON(resp.GetKey(), ""), httpapi.ToAccountsError(err))
}

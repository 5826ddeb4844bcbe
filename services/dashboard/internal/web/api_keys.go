package web

import (
	"net/http"

	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
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
	CreatedAt     *string    `json:"created_at"`
	ExpiresAt     *string    `json:"expires_at"`
	RevokedAt     *string    `json:"revoked_at"`
	ReplacedBy    *string    `json:"replaced_by"`
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
		ID: k.GetId(), Name: s.GetName(), Prefix: k.GetPrefix(), State: keyStates.toName(k.GetState()),
		Scopes: orEmpty(s.GetScopes()), Models: orEmpty(s.GetModels()), Tags: orEmpty(s.GetTags()),
		Limits: limits.limitsJSON, Budget: limits.budgetJSON,
		MaySwapModel: s.GetMaySwapModel(), BaselineModel: nullIfZero(s.GetBaselineModel()),
		Capture: captures.toName(s.GetCapture()), ErrorFormat: errorFormats.toName(s.GetErrorFormat()),
		CreatedAt: formatTimestamp(k.GetCreatedAt()), ExpiresAt: formatTimestamp(s.GetExpiresAt()),
		RevokedAt: formatTimestamp(k.GetRevokedAt()), ReplacedBy: nullIfZero(k.GetReplacedBy()),
		LastUsedAt: formatTimestamp(k.GetLastUsedAt()), LastUsedFrom: nullIfZero(k.GetLastUsedFrom()), Key: secret,
	}
}

func (s *server) apiListKeys(w http.ResponseWriter, r *http.Request, v *viewer) error {
	all, err := s.listKeys(r.Context(), v)
	if err != nil {
		return err
	}
	return writeItems(w, convertAll(all, func(k *keyauthv1.Key) keyJSON { return toKeyJSON(k, "") }))
}

func (s *server) apiCreateKey(w http.ResponseWriter, r *http.Request, v *viewer) error {
	var b keyBody
	if err := readJSON(w, r, &b); err != nil {
		return err
	}
	if err := s.checkBaselineModel(r.Context(), b.BaselineModel); err != nil {
		return err
	}
	k, secret, err := s.createKey(r.Context(), v, &b)
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusCreated, toKeyJSON(k, secret))
}

func (s *server) apiUpdateKey(w http.ResponseWriter, r *http.Request, v *viewer) error {
	var b keyBody
	if err := readJSON(w, r, &b); err != nil {
		return err
	}
	id, err := parsePathID(r, "key")
	if err != nil {
		return err
	}
	if err := s.checkBaselineModel(r.Context(), b.BaselineModel); err != nil {
		return err
	}
	k, err := s.updateKey(r.Context(), v, id, &b)
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, toKeyJSON(k, ""))
}

// apiRotateKey requires overlap_seconds. A default of 0 would cut off clients
// that still use the old key if the caller forgets the field.
func (s *server) apiRotateKey(w http.ResponseWriter, r *http.Request, v *viewer) error {
	var b struct {
		OverlapSeconds *int64 `json:"overlap_seconds"`
	}
	if err := readJSON(w, r, &b); err != nil {
		return err
	}
	if b.OverlapSeconds == nil || *b.OverlapSeconds < 0 {
		return invalidParam("overlap_seconds", "overlap_seconds is required; set how long the old key keeps working, 0 or more")
	}
	id, err := parsePathID(r, "key")
	if err != nil {
		return err
	}
	resp, err := s.Accounts.RotateKey(r.Context(), &keyauthv1.RotateKeyRequest{
		Actor: v.actor(), KeyId: id, OverlapSeconds: *b.OverlapSeconds,
	})
	if err = toAccountsError(err); err != nil {
		return err
	}
	return writeJSON(w, http.StatusCreated, toKeyJSON(resp.GetKey(), resp.GetSecret()))
}

func (s *server) apiRevokeKey(w http.ResponseWriter, r *http.Request, v *viewer) error {
	id, err := parsePathID(r, "key")
	if err != nil {
		return err
	}
	k, err := s.revokeKey(r.Context(), v, id)
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, toKeyJSON(k, ""))
}

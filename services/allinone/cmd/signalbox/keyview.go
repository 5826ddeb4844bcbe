package main

import (
	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
)

// keyView is a key with the names of the dashboard's API. Key is the key
// itself: only where one was made.
type keyView struct {
	ID            string     `json:"id"`
	AccountID     string     `json:"account_id"`
	Name          string     `json:"name"`
	Prefix        string     `json:"prefix"`
	State         *string    `json:"state"`
	Scopes        []string   `json:"scopes"`
	Models        []string   `json:"models"`
	Tags          []string   `json:"tags"`
	Limits        limitsView `json:"limits"`
	Budget        budgetView `json:"budget"`
	MaySwapModel  bool       `json:"may_swap_model"`
	BaselineModel *string    `json:"baseline_model"`
	Capture       *string    `json:"capture"`
	ErrorFormat   *string    `json:"error_format"`
	CreatedAt     *string    `json:"created_at"`
	ExpiresAt     *string    `json:"expires_at"`
	RevokedAt     *string    `json:"revoked_at"`
	LastUsedAt    *string    `json:"last_used_at"`
	LastUsedFrom  *string    `json:"last_used_from"`
	ReplacedBy    *string    `json:"replaced_by"`
	Key           string     `json:"key,omitempty"`
}

type limitsView struct {
	RequestsPerMinute  int64 `json:"requests_per_minute"`
	TokensPerMinute    int64 `json:"tokens_per_minute"`
	ConcurrentRequests int64 `json:"concurrent_requests"`
}

type budgetView struct {
	NanoUSDPerDay   int64 `json:"nano_usd_per_day"`
	NanoUSDPerMonth int64 `json:"nano_usd_per_month"`
}

// allLimitsView is every limit there is.
type allLimitsView struct {
	limitsView
	budgetView
}

func viewLimits(l *keyauthv1.Limits) allLimitsView {
	return allLimitsView{
		limitsView{l.GetRequestsPerMinute(), l.GetTokensPerMinute(), l.GetConcurrentRequests()},
		budgetView{l.GetNanoUsdPerDay(), l.GetNanoUsdPerMonth()},
	}
}

func viewKey(a *keyauthv1.Account, k *keyauthv1.Key, secret string) keyView {
	s, l := k.GetSettings(), viewLimits(k.GetSettings().GetLimits())
	return keyView{
		ID: k.GetId(), AccountID: a.GetId(), Name: s.GetName(), Prefix: k.GetPrefix(), State: orNull(word(k.GetState(), "KEY_STATE_")),
		Scopes: list(s.GetScopes()), Models: list(s.GetModels()), Tags: list(s.GetTags()),
		Limits: l.limitsView, Budget: l.budgetView,
		MaySwapModel: s.GetMaySwapModel(), BaselineModel: orNull(s.GetBaselineModel()),
		Capture: orNull(word(s.GetCapture(), "CAPTURE_")), ErrorFormat: orNull(word(s.GetErrorFormat(), "ERROR_FORMAT_")),
		CreatedAt: stamp(k.GetCreatedAt()), ExpiresAt: stamp(s.GetExpiresAt()), RevokedAt: stamp(k.GetRevokedAt()),
		LastUsedAt: stamp(k.GetLastUsedAt()), LastUsedFrom: orNull(k.GetLastUsedFrom()),
		ReplacedBy: orNull(k.GetReplacedBy()), Key: secret,
	}
}

// list is never null in JSON.
func list(texts []string) []string {
	if texts == nil {
		return []string{}
	}
	return texts
}

// showKey prints a key after a change, and the key itself if it was made.
func (o *operator) showKey(a *keyauthv1.Account, k *keyauthv1.Key, secret string) error {
	var rows [][]string
	if secret != "" {
		rows = append(rows, []string{"Key", secret, "(shown only now)"})
	}
	rows = append(rows,
		[]string{"Id", k.GetId()}, []string{"Name", k.GetSettings().GetName()}, []string{"Account", full(a)},
		[]string{"State", word(k.GetState(), "KEY_STATE_")}, []string{"Expires", moment(k.GetSettings().GetExpiresAt())})
	return o.show(viewKey(a, k, secret), rows...)
}

package access

import (
	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
	"github.com/signalbox/signalbox/services/allinone/internal/cli"
	"github.com/signalbox/signalbox/services/allinone/internal/cli/remote"
)

// keyView is a key in the JSON format of the dashboard's API. Key holds the secret. Key
// is set only right after the key was created.
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
	User          *string    `json:"user"`
	Agent         *string    `json:"agent"`
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

// allLimitsView holds rate limits and budgets.
type allLimitsView struct {
	limitsView
	budgetView
}

func toLimitsView(l *keyauthv1.Limits) allLimitsView {
	return allLimitsView{
		limitsView{l.GetRequestsPerMinute(), l.GetTokensPerMinute(), l.GetConcurrentRequests()},
		budgetView{l.GetNanoUsdPerDay(), l.GetNanoUsdPerMonth()},
	}
}

func toKeyView(a *keyauthv1.Account, k *keyauthv1.Key, secret string) keyView {
	s, l := k.GetSettings(), toLimitsView(k.GetSettings().GetLimits())
	return keyView{
		ID: k.GetId(), AccountID: a.GetId(), Name: s.GetName(), Prefix: k.GetPrefix(), State: cli.NullIfEmpty(remote.EnumWord(k.GetState(), "KEY_STATE_")),
		// JSON shows an empty list, never null.
		Scopes: append([]string{}, s.GetScopes()...), Models: append([]string{}, s.GetModels()...), Tags: append([]string{}, s.GetTags()...),
		Limits: l.limitsView, Budget: l.budgetView,
		MaySwapModel: s.GetMaySwapModel(), BaselineModel: cli.NullIfEmpty(s.GetBaselineModel()),
		Capture: cli.NullIfEmpty(remote.EnumWord(s.GetCapture(), "CAPTURE_")), ErrorFormat: cli.NullIfEmpty(remote.EnumWord(s.GetErrorFormat(), "ERROR_FORMAT_")),
		User: cli.NullIfEmpty(s.GetUser()), Agent: cli.NullIfEmpty(s.GetAgent()),
		CreatedAt: remote.FormatJSONTime(k.GetCreatedAt()), ExpiresAt: remote.FormatJSONTime(s.GetExpiresAt()), RevokedAt: remote.FormatJSONTime(k.GetRevokedAt()),
		LastUsedAt: remote.FormatJSONTime(k.GetLastUsedAt()), LastUsedFrom: cli.NullIfEmpty(k.GetLastUsedFrom()),
		ReplacedBy: cli.NullIfEmpty(k.GetReplacedBy()), Key: secret,
	}
}

// printKey prints a key after a change. secret is set only if the key was just created.
func printKey(o *remote.Command, a *keyauthv1.Account, k *keyauthv1.Key, secret string) error {
	var rows [][]string
	if secret != "" {
		rows = append(rows, []string{"Key", secret, "(shown only once)"})
	}
	rows = append(rows,
		[]string{"ID", k.GetId()}, []string{"Name", k.GetSettings().GetName()}, []string{"Account", remote.AccountLabel(a)},
		[]string{"State", remote.EnumWord(k.GetState(), "KEY_STATE_")}, []string{"Expires", remote.FormatTableTime(k.GetSettings().GetExpiresAt())})
	return o.PrintResult(toKeyView(a, k, secret), rows...)
}

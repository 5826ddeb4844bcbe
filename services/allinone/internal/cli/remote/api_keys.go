package remote

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
)

// apiLimits are limits in the dashboard's API.
type apiLimits struct {
	RequestsPerMinute  int64 `json:"requests_per_minute"`
	TokensPerMinute    int64 `json:"tokens_per_minute"`
	ConcurrentRequests int64 `json:"concurrent_requests"`
	NanoUSDPerDay      int64 `json:"nano_usd_per_day"`
	NanoUSDPerMonth    int64 `json:"nano_usd_per_month"`
}

func (l apiLimits) toProto() *keyauthv1.Limits {
	return &keyauthv1.Limits{
		RequestsPerMinute: l.RequestsPerMinute, TokensPerMinute: l.TokensPerMinute, ConcurrentRequests: l.ConcurrentRequests,
		NanoUsdPerDay: l.NanoUSDPerDay, NanoUsdPerMonth: l.NanoUSDPerMonth,
	}
}

type apiAccount struct {
	ID       string    `json:"id"`
	Name     string    `json:"name"`
	Operator bool      `json:"operator"`
	Limits   apiLimits `json:"limits"`
	Webhook  struct {
		URL    string `json:"url"`
		Signed bool   `json:"signed"`
	} `json:"webhook"`
	CreatedAt *time.Time `json:"created_at"`
}

func (a apiAccount) toProto() *keyauthv1.Account {
	return &keyauthv1.Account{
		Id: a.ID, Name: a.Name, Operator: a.Operator, Limits: a.Limits.toProto(), WebhookUrl: a.Webhook.URL, WebhookSigned: a.Webhook.Signed,
		CreatedAt: toTimestamp(a.CreatedAt),
	}
}

func toTimestamp(t *time.Time) *timestamppb.Timestamp {
	if t == nil {
		return nil
	}
	return timestamppb.New(*t)
}

// getAccount returns the account of the token, whatever account the request names.
func getAccount(ctx context.Context, c *apiConn, _ *keyauthv1.GetAccountRequest) (*keyauthv1.GetAccountResponse, error) {
	var a apiAccount
	err := c.call(ctx, http.MethodGet, "/account", nil, &a)
	return &keyauthv1.GetAccountResponse{Account: a.toProto()}, err
}

func updateAccount(ctx context.Context, c *apiConn, q *keyauthv1.UpdateAccountRequest) (*keyauthv1.UpdateAccountResponse, error) {
	limits, body := map[string]any{}, map[string]any{}
	for _, path := range q.GetMask().GetPaths() {
		if name, ok := strings.CutPrefix(path, "limits."); ok {
			limits[name] = limitValue(q.GetAccount().GetLimits(), name)
		}
		if path == "webhook_url" {
			body["webhook"] = map[string]any{"url": q.GetAccount().GetWebhookUrl()}
		}
	}
	if len(limits) > 0 {
		body["limits"] = limits
	}
	var a apiAccount
	err := c.call(ctx, http.MethodPatch, "/account", body, &a)
	return &keyauthv1.UpdateAccountResponse{Account: a.toProto()}, err
}

func limitValue(l *keyauthv1.Limits, name string) int64 {
	return map[string]int64{
		"requests_per_minute": l.GetRequestsPerMinute(), "tokens_per_minute": l.GetTokensPerMinute(),
		"concurrent_requests": l.GetConcurrentRequests(), "nano_usd_per_day": l.GetNanoUsdPerDay(), "nano_usd_per_month": l.GetNanoUsdPerMonth(),
	}[name]
}

// apiKey is a key in the dashboard's API. Null values become empty.
type apiKey struct {
	ID            string     `json:"id"`
	Name          string     `json:"name"`
	Prefix        string     `json:"prefix"`
	State         string     `json:"state"`
	Scopes        []string   `json:"scopes"`
	Models        []string   `json:"models"`
	Tags          []string   `json:"tags"`
	Limits        apiLimits  `json:"limits"`
	Budget        apiLimits  `json:"budget"`
	MaySwapModel  bool       `json:"may_swap_model"`
	BaselineModel string     `json:"baseline_model"`
	Capture       string     `json:"capture"`
	ErrorFormat   string     `json:"error_format"`
	CreatedAt     *time.Time `json:"created_at"`
	ExpiresAt     *time.Time `json:"expires_at"`
	RevokedAt     *time.Time `json:"revoked_at"`
	ReplacedBy    string     `json:"replaced_by"`
	LastUsedAt    *time.Time `json:"last_used_at"`
	LastUsedFrom  string     `json:"last_used_from"`
	Key           string     `json:"key"`
}

func (k apiKey) toProto() *keyauthv1.Key {
	k.Limits.NanoUSDPerDay, k.Limits.NanoUSDPerMonth = k.Budget.NanoUSDPerDay, k.Budget.NanoUSDPerMonth
	return &keyauthv1.Key{
		Id: k.ID, Prefix: k.Prefix, State: keyauthv1.KeyState(keyauthv1.KeyState_value["KEY_STATE_"+strings.ToUpper(k.State)]),
		CreatedAt: toTimestamp(k.CreatedAt), RevokedAt: toTimestamp(k.RevokedAt), LastUsedAt: toTimestamp(k.LastUsedAt),
		ReplacedBy: k.ReplacedBy, LastUsedFrom: k.LastUsedFrom,
		Settings: &keyauthv1.KeySettings{
			Name: k.Name, Scopes: k.Scopes, Models: k.Models, Tags: k.Tags, MaySwapModel: k.MaySwapModel, BaselineModel: k.BaselineModel,
			Capture:     keyauthv1.Capture(keyauthv1.Capture_value["CAPTURE_"+strings.ToUpper(k.Capture)]),
			ErrorFormat: keyauthv1.ErrorFormat(keyauthv1.ErrorFormat_value["ERROR_FORMAT_"+strings.ToUpper(k.ErrorFormat)]),
			ExpiresAt:   toTimestamp(k.ExpiresAt), Limits: k.Limits.toProto(),
		},
	}
}

func listKeys(ctx context.Context, c *apiConn, _ *keyauthv1.ListKeysRequest) (*keyauthv1.ListKeysResponse, error) {
	var page struct {
		Items []apiKey `json:"items"`
	}
	err := c.call(ctx, http.MethodGet, "/keys", nil, &page)
	a := &keyauthv1.ListKeysResponse{}
	for _, k := range page.Items {
		a.Keys = append(a.Keys, k.toProto())
	}
	return a, err
}

func createKey(ctx context.Context, c *apiConn, q *keyauthv1.CreateKeyRequest) (*keyauthv1.CreateKeyResponse, error) {
	var k apiKey
	err := c.call(ctx, http.MethodPost, "/keys", keyBody(q.GetSettings(), allKeyPaths), &k)
	return &keyauthv1.CreateKeyResponse{Key: k.toProto(), Secret: k.Key}, err
}

func updateKey(ctx context.Context, c *apiConn, q *keyauthv1.UpdateKeyRequest) (*keyauthv1.UpdateKeyResponse, error) {
	var k apiKey
	err := c.call(ctx, http.MethodPatch, "/keys/"+url.PathEscape(q.GetKeyId()), keyBody(q.GetSettings(), q.GetMask().GetPaths()), &k)
	return &keyauthv1.UpdateKeyResponse{Key: k.toProto()}, err
}

func rotateKey(ctx context.Context, c *apiConn, q *keyauthv1.RotateKeyRequest) (*keyauthv1.RotateKeyResponse, error) {
	var k apiKey
	body := map[string]int64{"overlap_seconds": q.GetOverlapSeconds()}
	err := c.call(ctx, http.MethodPost, "/keys/"+url.PathEscape(q.GetKeyId())+"/rotate", body, &k)
	return &keyauthv1.RotateKeyResponse{Key: k.toProto(), Secret: k.Key}, err
}

func revokeKey(ctx context.Context, c *apiConn, q *keyauthv1.RevokeKeyRequest) (*keyauthv1.RevokeKeyResponse, error) {
	var k apiKey
	err := c.call(ctx, http.MethodDelete, "/keys/"+url.PathEscape(q.GetKeyId()), nil, &k)
	return &keyauthv1.RevokeKeyResponse{Key: k.toProto()}, err
}

var allKeyPaths = []string{
	"name", "scopes", "models", "tags", "may_swap_model", "baseline_model", "capture", "error_format", "expires_at",
	"limits.requests_per_minute", "limits.tokens_per_minute", "limits.concurrent_requests", "limits.nano_usd_per_day", "limits.nano_usd_per_month",
}

// keyBody returns the settings of a mask in the form of the dashboard's API.
func keyBody(s *keyauthv1.KeySettings, paths []string) map[string]any {
	limits, budget := map[string]any{}, map[string]any{}
	values := map[string]any{
		"name": s.GetName(), "scopes": orEmpty(s.GetScopes()), "models": orEmpty(s.GetModels()), "tags": orEmpty(s.GetTags()), "may_swap_model": s.GetMaySwapModel(),
		"baseline_model": nullIfEmpty(s.GetBaselineModel()), "capture": nullIfEmpty(EnumWord(s.GetCapture(), "CAPTURE_")),
		"error_format": nullIfEmpty(EnumWord(s.GetErrorFormat(), "ERROR_FORMAT_")), "expires_at": FormatJSONTime(s.GetExpiresAt()),
	}
	body := map[string]any{}
	for _, path := range paths {
		name, isLimit := strings.CutPrefix(path, "limits.")
		switch {
		case !isLimit:
			body[path] = values[path]
		case strings.HasPrefix(name, "nano_usd_"):
			budget[name] = limitValue(s.GetLimits(), name)
			body["budget"] = budget
		default:
			limits[name] = limitValue(s.GetLimits(), name)
			body["limits"] = limits
		}
	}
	return body
}

func orEmpty(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}

func nullIfEmpty(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

package web

import (
	"context"
	"net/http"
	"slices"
	"time"
	"unicode/utf8"

	"google.golang.org/protobuf/types/known/fieldmaskpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
)

// keyBody is what an account holder may say about a key. Limits and budget are
// one message to the account service.
type keyBody struct {
	Name          field[string]     `json:"name"`
	Scopes        field[[]string]   `json:"scopes"`
	Models        field[[]string]   `json:"models"`
	Tags          field[[]string]   `json:"tags"`
	MaySwapModel  field[bool]       `json:"may_swap_model"`
	BaselineModel field[string]     `json:"baseline_model"`
	Capture       field[string]     `json:"capture"`
	ErrorFormat   field[string]     `json:"error_format"`
	ExpiresAt     field[*time.Time] `json:"expires_at"`
	Limits        field[limitsJSON] `json:"limits"`
	Budget        field[budgetJSON] `json:"budget"`
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

// settings writes what was sent into base and names it.
func (b *keyBody) settings(base *keyauthv1.KeySettings) (mask []string, err error) {
	set := func(given bool, name string, write func()) {
		if given {
			write()
			mask = append(mask, name)
		}
	}
	capture, err := captures.number("capture", b.Capture.Value)
	if err != nil {
		return nil, err
	}
	format, err := errorFormats.number("error_format", b.ErrorFormat.Value)
	if err != nil {
		return nil, err
	}
	set(b.Name.Given, "name", func() { base.Name = b.Name.Value })
	set(b.Scopes.Given, "scopes", func() { base.Scopes = b.Scopes.Value })
	set(b.Models.Given, "models", func() { base.Models = b.Models.Value })
	set(b.Tags.Given, "tags", func() { base.Tags = b.Tags.Value })
	set(b.MaySwapModel.Given, "may_swap_model", func() { base.MaySwapModel = b.MaySwapModel.Value })
	set(b.BaselineModel.Given, "baseline_model", func() { base.BaselineModel = b.BaselineModel.Value })
	set(b.Capture.Given, "capture", func() { base.Capture = capture })
	set(b.ErrorFormat.Given, "error_format", func() { base.ErrorFormat = format })
	set(b.ExpiresAt.Given, "expires_at", func() { base.ExpiresAt = stamp(b.ExpiresAt.Value) })
	set(b.Limits.Given || b.Budget.Given, "limits", func() { base.Limits = b.limits(base.GetLimits()) })
	return mask, nil
}

func (b *keyBody) limits(base *keyauthv1.Limits) *keyauthv1.Limits {
	if base == nil {
		base = &keyauthv1.Limits{}
	}
	if b.Limits.Given {
		l := b.Limits.Value
		base.RequestsPerMinute, base.TokensPerMinute, base.ConcurrentRequests = l.RequestsPerMinute, l.TokensPerMinute, l.ConcurrentRequests
	}
	if b.Budget.Given {
		base.NanoUsdPerDay, base.NanoUsdPerMonth = b.Budget.Value.NanoUSDPerDay, b.Budget.Value.NanoUSDPerMonth
	}
	return base
}

func stamp(t *time.Time) *timestamppb.Timestamp {
	if t == nil {
		return nil
	}
	return timestamppb.New(*t)
}

func (s *server) listKeys(ctx context.Context, v *viewer) ([]*keyauthv1.Key, error) {
	resp, err := s.Accounts.ListKeys(ctx, &keyauthv1.ListKeysRequest{Actor: v.actor()})
	return resp.GetKeys(), peer(err)
}

func (s *server) createKey(ctx context.Context, v *viewer, b *keyBody) (*keyauthv1.Key, string, error) {
	settings := &keyauthv1.KeySettings{}
	if _, err := b.settings(settings); err != nil {
		return nil, "", err
	}
	resp, err := s.Accounts.CreateKey(ctx, &keyauthv1.CreateKeyRequest{Actor: v.actor(), Settings: settings})
	return resp.GetKey(), resp.GetSecret(), peer(err)
}

// updateKey begins from the settings as they are, because limits and budget
// are sent on as one.
func (s *server) updateKey(ctx context.Context, v *viewer, id string, b *keyBody) (*keyauthv1.Key, error) {
	all, err := s.listKeys(ctx, v)
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(all, func(k *keyauthv1.Key) bool { return k.GetId() == id })
	if at < 0 {
		return nil, notFound("key")
	}
	settings := all[at].GetSettings()
	mask, err := b.settings(settings)
	if err != nil {
		return nil, err
	}
	resp, err := s.Accounts.UpdateKey(ctx, &keyauthv1.UpdateKeyRequest{
		Actor: v.actor(), KeyId: id, Settings: settings, Mask: &fieldmaskpb.FieldMask{Paths: mask},
	})
	return resp.GetKey(), peer(err)
}

func (s *server) revokeKey(ctx context.Context, v *viewer, id string) (*keyauthv1.Key, error) {
	resp, err := s.Accounts.RevokeKey(ctx, &keyauthv1.RevokeKeyRequest{Actor: v.actor(), KeyId: id})
	return resp.GetKey(), peer(err)
}

// keyID is the id in the address. One that cannot be sent on cannot exist.
func keyID(r *http.Request) (string, error) {
	id := r.PathValue("id")
	if !utf8.ValidString(id) {
		return "", notFound("key")
	}
	return id, nil
}

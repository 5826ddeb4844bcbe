package control

import (
	"context"
	"log/slog"
	"sync/atomic"

	"github.com/signalbox/signalbox/pkg/apikey"
	"github.com/signalbox/signalbox/pkg/apperr"
	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
	"github.com/signalbox/signalbox/services/proxy/internal/keys"
	"github.com/signalbox/signalbox/services/proxy/internal/limits"
)

// Keys is the client of the key service.
type Keys struct {
	client keyauthv1.KeyAuthServiceClient
	log    *slog.Logger
	// reached is set after the first message from the service.
	reached atomic.Bool
	up      atomic.Bool
}

var _ keys.Service = (*Keys)(nil)

// NewKeys returns a Keys that uses the client.
func NewKeys(client keyauthv1.KeyAuthServiceClient, log *slog.Logger) *Keys {
	return &Keys{client: client, log: log}
}

// Verify returns the principal of the key with this digest.
func (k *Keys) Verify(ctx context.Context, digest apikey.Digest) (*keys.Principal, error) {
	res, err := k.client.VerifyKey(ctx, &keyauthv1.VerifyKeyRequest{Digest: digest[:]})
	if err != nil {
		return nil, err
	}
	return toPrincipal(res.GetPrincipal()), nil
}

// Reached reports whether this process has ever received a message from the watch of the service.
func (k *Keys) Reached() bool { return k.reached.Load() }

// IsUp reports whether the service is connected and pushes changes.
func (k *Keys) IsUp() bool { return k.up.Load() }

// Budgets receives the spend that the stored records contain, in nano-USD. It is the spend of a
// key, or of the whole account if keyID is empty.
type Budgets interface {
	SetStoredSpend(accountID, keyID, day string, dayNano, monthNano int64)
	// SetStoredGroupSpend receives the spend of a group budget in a period.
	SetStoredGroupSpend(accountID, budget, period string, nanoUSD int64)
}

// Follow passes pushed changes to the cache and the budgets until ctx ends.
func (k *Keys) Follow(ctx context.Context, cache *keys.Cache, budgets Budgets) {
	follow(ctx, k.log, "keys", func(ctx context.Context, up func()) error {
		err := k.watchKeys(ctx, cache, budgets, up)
		if apperr.Is(err, apperr.InvalidRequest) {
			// The cache has a newer version than the service: the service's store was replaced.
			cache.ResetVersion()
		}
		return err
	})
}

func (k *Keys) watchKeys(ctx context.Context, cache *keys.Cache, budgets Budgets, up func()) error {
	ctx, beat, stop := withHeartbeat(ctx)
	defer stop()
	stream, err := k.client.WatchKeys(ctx, &keyauthv1.WatchKeysRequest{SinceVersion: cache.Version()})
	if err != nil {
		return err
	}
	defer func() {
		cache.PushLost()
		k.up.Store(false)
	}()
	for {
		msg, err := stream.Recv()
		if err != nil {
			return err
		}
		beat()
		for _, c := range msg.GetChanges() {
			cache.Apply(toChange(c))
		}
		for _, s := range msg.GetSpent() {
			if s.GetBudget() != "" {
				budgets.SetStoredGroupSpend(s.GetAccountId(), s.GetBudget(), s.GetPeriod(), s.GetNanoUsd())
				continue
			}
			budgets.SetStoredSpend(s.GetAccountId(), s.GetKeyId(), s.GetDay(), s.GetDayNanoUsd(), s.GetMonthNanoUsd())
		}
		cache.PushReached(msg.GetVersion())
		k.reached.Store(true)
		if !k.up.Swap(true) {
			up()
		}
	}
}

func toChange(c *keyauthv1.KeyChange) keys.Change {
	out := keys.Change{Version: c.GetVersion(), AccountID: c.GetAccountId(), KeyID: c.GetKeyId()}
	if c.GetPrincipal() != nil {
		out.Principal = toPrincipal(c.GetPrincipal())
	}
	return out
}

// toPrincipal converts a principal. An expired key counts as active with ExpiresAt in the past,
// because its owner may extend it. A revoked key never becomes active again.
func toPrincipal(p *keyauthv1.Principal) *keys.Principal {
	s := p.GetSettings()
	state := p.GetState()
	out := &keys.Principal{
		AccountID:        p.GetAccountId(),
		KeyID:            p.GetKeyId(),
		KeyName:          s.GetName(),
		Active:           state == keyauthv1.KeyState_KEY_STATE_ACTIVE || state == keyauthv1.KeyState_KEY_STATE_EXPIRED,
		Scopes:           s.GetScopes(),
		Models:           s.GetModels(),
		Tags:             s.GetTags(),
		MaySwapModel:     s.GetMaySwapModel(),
		Baseline:         s.GetBaselineModel(),
		Limits:           toLimits(s.GetLimits()),
		AccountLimits:    toLimits(p.GetAccountLimits()),
		AllowExperiments: p.GetAllowExperiments(),
		NestedErrors:     s.GetErrorFormat() == keyauthv1.ErrorFormat_ERROR_FORMAT_OPENAI,
		Version:          p.GetVersion(),
		Budgets:          toBudgets(p.GetBudgets()),
		User:             s.GetUser(),
		Agent:            s.GetAgent(),
	}
	if s.GetExpiresAt() != nil {
		out.ExpiresAt = s.GetExpiresAt().AsTime()
	}
	switch s.GetCapture() {
	case keyauthv1.Capture_CAPTURE_NONE:
		out.Capture = keys.CaptureNone
	case keyauthv1.Capture_CAPTURE_REDACTED:
		out.Capture = keys.CaptureRedacted
	}
	return out
}

func toBudgets(all []*keyauthv1.Budget) (list []limits.Budget) {
	for _, b := range all {
		a := b.GetAmounts()
		list = append(list, limits.Budget{ID: b.GetId(), Name: b.GetName(), Kind: b.GetKind(), Value: b.GetValue(), Amounts: limits.Amounts{
			PerHour: a.GetNanoUsdPerHour(), PerDay: a.GetNanoUsdPerDay(), PerWeek: a.GetNanoUsdPerWeek(),
			PerMonth: a.GetNanoUsdPerMonth(), Total: a.GetNanoUsdTotal(),
		}})
	}
	return list
}

func toLimits(l *keyauthv1.Limits) limits.Set {
	return limits.Set{
		RequestsPerMinute: l.GetRequestsPerMinute(),
		TokensPerMinute:   l.GetTokensPerMinute(),
		Concurrent:        l.GetConcurrentRequests(),
		NanoUSDPerDay:     l.GetNanoUsdPerDay(),
		NanoUSDPerMonth:   l.GetNanoUsdPerMonth(),
	}
}

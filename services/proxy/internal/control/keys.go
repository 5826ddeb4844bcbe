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

// Keys is the key service as the proxy sees it.
type Keys struct {
	client keyauthv1.KeyAuthServiceClient
	log    *slog.Logger
	// reached is set once the service has answered.
	reached atomic.Bool
	up      atomic.Bool
}

var _ keys.Service = (*Keys)(nil)

// NewKeys wraps the client.
func NewKeys(client keyauthv1.KeyAuthServiceClient, log *slog.Logger) *Keys {
	return &Keys{client: client, log: log}
}

// Verify asks the service for the principal of a key.
func (k *Keys) Verify(ctx context.Context, digest apikey.Digest) (*keys.Principal, error) {
	res, err := k.client.VerifyKey(ctx, &keyauthv1.VerifyKeyRequest{Digest: digest[:]})
	if err != nil {
		return nil, err
	}
	return principal(res.GetPrincipal()), nil
}

// Reached reports whether the service has ever answered this process.
func (k *Keys) Reached() bool { return k.reached.Load() }

// Up reports whether changes are being pushed now.
func (k *Keys) Up() bool { return k.up.Load() }

// Budgets is told what has been spent of them, by the store: of a key, or of an
// account where the key is empty.
type Budgets interface {
	Stored(accountID, keyID, day string, dayNano, monthNano int64)
}

// Follow feeds the cache and the budgets with what is pushed until ctx ends.
func (k *Keys) Follow(ctx context.Context, cache *keys.Cache, budgets Budgets) {
	follow(ctx, k.log, "keys", func(ctx context.Context, up func()) error {
		err := k.watch(ctx, cache, budgets, up)
		if apperr.Is(err, apperr.InvalidRequest) {
			// The log is behind what we have seen: the store was replaced.
			cache.Restart()
		}
		return err
	})
}

func (k *Keys) watch(ctx context.Context, cache *keys.Cache, budgets Budgets, up func()) error {
	ctx, beat, stop := heartbeat(ctx)
	defer stop()
	stream, err := k.client.WatchKeys(ctx, &keyauthv1.WatchKeysRequest{SinceVersion: cache.Seen()})
	if err != nil {
		return err
	}
	defer func() {
		cache.Broken()
		k.up.Store(false)
	}()
	for {
		msg, err := stream.Recv()
		if err != nil {
			return err
		}
		beat()
		for _, c := range msg.GetChanges() {
			cache.Apply(change(c))
		}
		for _, s := range msg.GetSpent() {
			budgets.Stored(s.GetAccountId(), s.GetKeyId(), s.GetDay(), s.GetDayNanoUsd(), s.GetMonthNanoUsd())
		}
		cache.Pushed(msg.GetVersion())
		k.reached.Store(true)
		if !k.up.Swap(true) {
			up()
		}
	}
}

func change(c *keyauthv1.KeyChange) keys.Change {
	out := keys.Change{Version: c.GetVersion(), AccountID: c.GetAccountId(), KeyID: c.GetKeyId()}
	if c.GetPrincipal() != nil {
		out.Principal = principal(c.GetPrincipal())
	}
	return out
}

// An expired key counts as active with its end in the past, because its holder
// may still move that end; a revoked one has ended for good.
func principal(p *keyauthv1.Principal) *keys.Principal {
	s := p.GetSettings()
	state := p.GetState()
	out := &keys.Principal{
		AccountID:     p.GetAccountId(),
		KeyID:         p.GetKeyId(),
		KeyName:       s.GetName(),
		Active:        state == keyauthv1.KeyState_KEY_STATE_ACTIVE || state == keyauthv1.KeyState_KEY_STATE_EXPIRED,
		Scopes:        s.GetScopes(),
		Models:        s.GetModels(),
		Tags:          s.GetTags(),
		MaySwapModel:  s.GetMaySwapModel(),
		Baseline:      s.GetBaselineModel(),
		Limits:        limitsOf(s.GetLimits()),
		AccountLimits: limitsOf(p.GetAccountLimits()),
		NestedErrors:  s.GetErrorFormat() == keyauthv1.ErrorFormat_ERROR_FORMAT_OPENAI,
		Version:       p.GetVersion(),
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

func limitsOf(l *keyauthv1.Limits) limits.Set {
	return limits.Set{
		RequestsPerMinute: l.GetRequestsPerMinute(),
		TokensPerMinute:   l.GetTokensPerMinute(),
		Concurrent:        l.GetConcurrentRequests(),
		NanoUSDPerDay:     l.GetNanoUsdPerDay(),
		NanoUSDPerMonth:   l.GetNanoUsdPerMonth(),
	}
}

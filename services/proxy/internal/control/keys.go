package control

import (
	"context"
	"log/slog"
	"sync/atomic"

	"github.com/signalbox/signalbox/pkg/apikey"
	"github.com/signalbox/signalbox/pkg/apperr"
	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
	"github.com/signalbox/signalbox/services/proxy/internal/keys"
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

// Follow feeds the cache with pushed changes until ctx ends.
func (k *Keys) Follow(ctx context.Context, cache *keys.Cache) {
	var since int64
	follow(ctx, k.log, "keys", func(ctx context.Context) error {
		err := k.watch(ctx, cache, &since)
		if apperr.Is(err, apperr.InvalidRequest) {
			// The log is behind what we have seen: the store was replaced.
			since = 0
			cache.Restart()
		}
		return err
	})
}

func (k *Keys) watch(ctx context.Context, cache *keys.Cache, since *int64) error {
	ctx, beat, stop := heartbeat(ctx)
	defer stop()
	stream, err := k.client.WatchKeys(ctx, &keyauthv1.WatchKeysRequest{SinceVersion: *since})
	if err != nil {
		return err
	}
	defer func() {
		k.up.Store(false)
		cache.Pushed(false)
	}()
	for first := true; ; first = false {
		msg, err := stream.Recv()
		if err != nil {
			return err
		}
		beat()
		for _, c := range msg.GetChanges() {
			cache.Apply(change(c))
		}
		*since = max(*since, msg.GetVersion())
		if first {
			cache.Pushed(true)
			k.reached.Store(true)
			k.up.Store(true)
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

func principal(p *keyauthv1.Principal) *keys.Principal {
	s := p.GetSettings()
	out := &keys.Principal{
		AccountID:    p.GetAccountId(),
		KeyID:        p.GetKeyId(),
		KeyName:      s.GetName(),
		Active:       p.GetState() == keyauthv1.KeyState_KEY_STATE_ACTIVE,
		Scopes:       s.GetScopes(),
		Models:       s.GetModels(),
		Tags:         s.GetTags(),
		MaySwapModel: s.GetMaySwapModel(),
		Baseline:     s.GetBaselineModel(),
		NestedErrors: s.GetErrorFormat() == keyauthv1.ErrorFormat_ERROR_FORMAT_OPENAI,
		Version:      p.GetVersion(),
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

package grpcapi_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/fieldmaskpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/signalbox/signalbox/pkg/apikey"
	"github.com/signalbox/signalbox/pkg/apperr"
	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
)

func allSettings() *keyauthv1.KeySettings {
	return &keyauthv1.KeySettings{
		Name: "k", Scopes: []string{"chat"}, Models: []string{"auto"}, Tags: []string{"eu"}, MaySwapModel: true,
		BaselineModel: "large", Capture: keyauthv1.Capture_CAPTURE_NONE, ErrorFormat: keyauthv1.ErrorFormat_ERROR_FORMAT_OPENAI,
		ExpiresAt: timestamppb.New(time.Now().Add(time.Hour).Truncate(time.Microsecond)),
		Limits: &keyauthv1.Limits{
			RequestsPerMinute: 1, TokensPerMinute: 2, ConcurrentRequests: 3, NanoUsdPerDay: 4, NanoUsdPerMonth: 5,
		},
	}
}

func TestKeyLifecycle(t *testing.T) {
	c := serve(t, newURL(t))
	actor, _ := c.bootstrapped(t)
	settings := allSettings()
	made, err := c.CreateKey(t.Context(), &keyauthv1.CreateKeyRequest{Actor: actor, Settings: settings})
	require.NoError(t, err)
	require.True(t, proto.Equal(settings, made.GetKey().GetSettings()))
	require.Equal(t, keyauthv1.KeyState_KEY_STATE_ACTIVE, made.GetKey().GetState())
	v, err := c.VerifyKey(t.Context(), digestOf(made.GetSecret()))
	require.NoError(t, err)
	require.True(t, proto.Equal(settings, v.GetPrincipal().GetSettings()))
	require.Equal(t, keyauthv1.KeyState_KEY_STATE_ACTIVE, v.GetPrincipal().GetState())
	require.Equal(t, made.GetKey().GetId(), v.GetPrincipal().GetKeyId())

	updated, err := c.UpdateKey(t.Context(), &keyauthv1.UpdateKeyRequest{
		Actor: actor, KeyId: made.GetKey().GetId(), Settings: &keyauthv1.KeySettings{Name: "renamed"},
		Mask: &fieldmaskpb.FieldMask{Paths: []string{"name", "limits"}},
	})
	require.NoError(t, err)
	settings.Name, settings.Limits = "renamed", nil
	require.True(t, proto.Equal(settings, updated.GetKey().GetSettings()))

	next, err := c.RotateKey(t.Context(), &keyauthv1.RotateKeyRequest{Actor: actor, KeyId: made.GetKey().GetId(), OverlapSeconds: 60})
	require.NoError(t, err)
	for _, secret := range []string{made.GetSecret(), next.GetSecret()} {
		_, err = c.VerifyKey(t.Context(), digestOf(secret))
		require.NoError(t, err)
	}
	revoked, err := c.RevokeKey(t.Context(), &keyauthv1.RevokeKeyRequest{Actor: actor, KeyId: next.GetKey().GetId()})
	require.NoError(t, err)
	require.Equal(t, keyauthv1.KeyState_KEY_STATE_REVOKED, revoked.GetKey().GetState())
	require.NotNil(t, revoked.GetKey().GetRevokedAt())
	_, err = c.VerifyKey(t.Context(), digestOf(next.GetSecret()))
	requireCode(t, apperr.AuthInvalidKey, err)
	require.Equal(t, "revoked", apperr.From(err).Details["reason"])

	keys, err := c.ListKeys(t.Context(), &keyauthv1.ListKeysRequest{Actor: actor})
	require.NoError(t, err)
	require.Len(t, keys.GetKeys(), 3)
	require.True(t, proto.Equal(revoked.GetKey(), keys.GetKeys()[0]))
	require.Equal(t, next.GetKey().GetId(), keys.GetKeys()[1].GetReplacedBy())
}

func TestRotationWithoutOverlapEndsTheOldKey(t *testing.T) {
	c := serve(t, newURL(t))
	actor, secret := c.bootstrapped(t)
	v, err := c.VerifyKey(t.Context(), digestOf(secret))
	require.NoError(t, err)
	_, err = c.RotateKey(t.Context(), &keyauthv1.RotateKeyRequest{Actor: actor, KeyId: v.GetPrincipal().GetKeyId()})
	require.NoError(t, err)
	_, err = c.VerifyKey(t.Context(), digestOf(secret))
	requireCode(t, apperr.AuthInvalidKey, err)
	require.Equal(t, "expired", apperr.From(err).Details["reason"])
}

func TestRefusedCallsKeepTheirCode(t *testing.T) {
	c := serve(t, newURL(t))
	actor, _ := c.bootstrapped(t)
	_, err := c.VerifyKey(t.Context(), digestOf(apikey.New()))
	requireCode(t, apperr.AuthInvalidKey, err)
	require.Equal(t, "unknown", apperr.From(err).Details["reason"])
	for _, digest := range [][]byte{nil, make([]byte, 31), make([]byte, 33)} {
		_, err = c.VerifyKey(t.Context(), &keyauthv1.VerifyKeyRequest{Digest: digest})
		requireCode(t, apperr.InvalidRequest, err)
	}
	_, err = c.CreateKey(t.Context(), &keyauthv1.CreateKeyRequest{Actor: actor, Settings: &keyauthv1.KeySettings{}})
	requireCode(t, apperr.InvalidRequest, err)
	require.Equal(t, "name", apperr.From(err).Details["param"])
	for _, expires := range []*timestamppb.Timestamp{
		{Seconds: math.MaxInt64}, {}, {Seconds: -1}, timestamppb.New(time.Time{}), timestamppb.New(time.Now().Add(-time.Hour)),
	} {
		_, err = c.CreateKey(t.Context(), &keyauthv1.CreateKeyRequest{Actor: actor, Settings: &keyauthv1.KeySettings{
			Name: "k", ExpiresAt: expires,
		}})
		requireCode(t, apperr.InvalidRequest, err)
		require.Equal(t, "expires_at", apperr.From(err).Details["param"])
	}
	_, err = c.CreateKey(t.Context(), &keyauthv1.CreateKeyRequest{Actor: actor, Settings: &keyauthv1.KeySettings{Name: "k", ErrorFormat: 9}})
	require.Equal(t, "error_format", apperr.From(err).Details["param"])
	_, err = c.RotateKey(t.Context(), &keyauthv1.RotateKeyRequest{Actor: actor, OverlapSeconds: math.MaxInt64})
	require.Equal(t, "overlap_seconds", apperr.From(err).Details["param"])
	_, err = c.ListKeys(t.Context(), &keyauthv1.ListKeysRequest{})
	requireCode(t, apperr.NotFound, err)
}

func TestAccountsAreIsolated(t *testing.T) {
	c := serve(t, newURL(t))
	_, secret := c.bootstrapped(t)
	v, err := c.VerifyKey(t.Context(), digestOf(secret))
	require.NoError(t, err)
	reg, err := c.Register(t.Context(), &keyauthv1.RegisterRequest{Email: "ada@example.com", Password: "correct horse"})
	require.NoError(t, err)
	me := reg.GetSignIn().GetIdentity()
	mine := &keyauthv1.Actor{AccountId: me.GetAccount().GetId(), UserId: me.GetUser().GetId()}
	theirs := v.GetPrincipal().GetKeyId()

	_, err = c.UpdateKey(t.Context(), &keyauthv1.UpdateKeyRequest{
		Actor: mine, KeyId: theirs, Settings: &keyauthv1.KeySettings{Name: "x"}, Mask: &fieldmaskpb.FieldMask{Paths: []string{"name"}},
	})
	requireCode(t, apperr.NotFound, err)
	_, err = c.RotateKey(t.Context(), &keyauthv1.RotateKeyRequest{Actor: mine, KeyId: theirs})
	requireCode(t, apperr.NotFound, err)
	_, err = c.RevokeKey(t.Context(), &keyauthv1.RevokeKeyRequest{Actor: mine, KeyId: theirs})
	requireCode(t, apperr.NotFound, err)
	mixed := &keyauthv1.Actor{AccountId: v.GetPrincipal().GetAccountId(), UserId: me.GetUser().GetId()}
	_, err = c.GetAccount(t.Context(), &keyauthv1.GetAccountRequest{Actor: mixed})
	requireCode(t, apperr.NotFound, err)
	_, err = c.VerifyKey(t.Context(), digestOf(secret))
	require.NoError(t, err)
}

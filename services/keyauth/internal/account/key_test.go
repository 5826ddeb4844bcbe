package account_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apikey"
	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/services/keyauth/internal/access"
	"github.com/signalbox/signalbox/services/keyauth/internal/account"
	"github.com/signalbox/signalbox/services/keyauth/internal/keyring"
	"github.com/signalbox/signalbox/services/keyauth/internal/setting"
)

// tomorrow has the precision of the store.
func tomorrow() time.Time { return time.Now().UTC().Truncate(time.Microsecond).Add(24 * time.Hour) }

func (w world) verify(t *testing.T, secret string) (keyring.Principal, error) {
	t.Helper()
	return w.Keys.Verify(t.Context(), apikey.DigestOf(secret))
}

func requireRefused(t *testing.T, reason string, err error) {
	t.Helper()
	requireCode(t, apperr.AuthInvalidKey, err)
	require.Equal(t, reason, apperr.From(err).Details["reason"])
}

func TestAKeyResolvesToItsPrincipal(t *testing.T) {
	eachStore(t, func(t *testing.T, w world) {
		owner := w.newOwner(t)
		settings := setting.Key{
			Name: " app ", Scopes: []string{"chat"}, Models: []string{"auto"}, Tags: []string{"eu"}, MaySwapModel: true,
			BaselineModel: "large", Capture: setting.CaptureFull, ErrorFormat: setting.FormatOpenAI, ExpiresAt: tomorrow(),
			Limits: setting.Limits{RequestsPerMinute: 5},
		}
		made, err := w.Keys.Create(t.Context(), owner, settings)
		require.NoError(t, err)
		require.True(t, apikey.IsValid(made.Secret))
		require.True(t, strings.HasPrefix(made.Secret, made.Key.Prefix))

		p, err := w.verify(t, made.Secret)
		require.NoError(t, err)
		head, err := w.Keys.Head(t.Context())
		require.NoError(t, err)
		settings.Name = "app"
		require.Equal(t, keyring.Principal{
			AccountID: owner.AccountID, KeyID: made.Key.ID, State: keyring.Active, Settings: settings, Version: head,
		}, p)
	})
}

func TestAnUnknownKeyIsRefused(t *testing.T) {
	eachStore(t, func(t *testing.T, w world) {
		_, err := w.verify(t, apikey.New())
		requireRefused(t, "unknown", err)
	})
}

func TestARevokedKeyIsRefusedForGood(t *testing.T) {
	eachStore(t, func(t *testing.T, w world) {
		owner := w.newOwner(t)
		made, err := w.Keys.Create(t.Context(), owner, setting.Key{Name: "k"})
		require.NoError(t, err)
		revoked, err := w.Keys.Revoke(t.Context(), owner, made.Key.ID)
		require.NoError(t, err)
		require.Equal(t, keyring.Revoked, revoked.State(time.Now()))
		_, err = w.verify(t, made.Secret)
		requireRefused(t, "revoked", err)

		head, err := w.Keys.Head(t.Context())
		require.NoError(t, err)
		again, err := w.Keys.Revoke(t.Context(), owner, made.Key.ID)
		require.NoError(t, err)
		require.Equal(t, revoked, again)
		after, err := w.Keys.Head(t.Context())
		require.NoError(t, err)
		require.Equal(t, head, after, "revoking again is no change")

		_, err = w.Keys.Update(t.Context(), owner, made.Key.ID, setting.Key{Name: "alive"}, []string{"name"})
		requireParam(t, "key_id", err)
		_, err = w.Keys.Rotate(t.Context(), owner, made.Key.ID, 0)
		requireParam(t, "key_id", err)
	})
}

func TestAKeyExpires(t *testing.T) {
	inTime(t, func(t *testing.T, w world) {
		owner := w.newOwner(t)
		made, err := w.Keys.Create(t.Context(), owner, setting.Key{Name: "k", ExpiresAt: tomorrow()})
		require.NoError(t, err)
		after(24*time.Hour - time.Microsecond)
		_, err = w.verify(t, made.Secret)
		require.NoError(t, err)
		after(time.Microsecond)
		_, err = w.verify(t, made.Secret)
		requireRefused(t, "expired", err)
		_, err = w.Keys.Rotate(t.Context(), owner, made.Key.ID, time.Hour)
		requireParam(t, "key_id", err)

		_, err = w.Keys.Update(t.Context(), owner, made.Key.ID, setting.Key{Name: "old"}, []string{"name"})
		require.NoError(t, err, "an expired key may be renamed")
		_, err = w.Keys.Update(t.Context(), owner, made.Key.ID, setting.Key{}, []string{"expires_at"})
		require.NoError(t, err, "and given more time")
		_, err = w.verify(t, made.Secret)
		require.NoError(t, err)
	})
}

func TestRotationOverlaps(t *testing.T) {
	inTime(t, func(t *testing.T, w world) {
		owner := w.newOwner(t)
		old, err := w.Keys.Create(t.Context(), owner, setting.Key{Name: "k", Tags: []string{"eu"}})
		require.NoError(t, err)
		next, err := w.Keys.Rotate(t.Context(), owner, old.Key.ID, time.Hour)
		require.NoError(t, err)
		require.Equal(t, old.Key.Settings, next.Key.Settings)
		require.NotEqual(t, old.Secret, next.Secret)

		for _, secret := range []string{old.Secret, next.Secret} {
			_, err = w.verify(t, secret)
			require.NoError(t, err)
		}
		keys, err := w.Keys.List(t.Context(), owner)
		require.NoError(t, err)
		require.Equal(t, next.Key.ID, keys[1].ReplacedBy)

		_, err = w.Keys.Rotate(t.Context(), owner, old.Key.ID, time.Hour)
		requireParam(t, "key_id", err)
		_, err = w.Keys.Update(t.Context(), owner, old.Key.ID, setting.Key{}, []string{"expires_at"})
		requireParam(t, "key_id", err)

		after(time.Hour)
		_, err = w.verify(t, old.Secret)
		requireRefused(t, "expired", err)
		_, err = w.verify(t, next.Secret)
		require.NoError(t, err)
	})
}

func TestRotationNeverExtendsTheExpiry(t *testing.T) {
	w := newWorld(t, account.RegistrationOpen)
	owner := w.newOwner(t)
	ends := tomorrow()
	old, err := w.Keys.Create(t.Context(), owner, setting.Key{Name: "k", ExpiresAt: ends})
	require.NoError(t, err)
	next, err := w.Keys.Rotate(t.Context(), owner, old.Key.ID, 48*time.Hour)
	require.NoError(t, err)
	p, err := w.verify(t, old.Secret)
	require.NoError(t, err)
	require.Equal(t, ends, p.Settings.ExpiresAt)
	require.Equal(t, ends, next.Key.Settings.ExpiresAt)
}

func TestRotationRefusesABadOverlap(t *testing.T) {
	w := newWorld(t, account.RegistrationOpen)
	owner := w.newOwner(t)
	for _, overlap := range []time.Duration{-1, 91 * 24 * time.Hour} {
		_, err := w.Keys.Rotate(t.Context(), owner, "any", overlap)
		requireParam(t, "overlap_seconds", err)
	}
}

func TestUpdateKeyChangesTheNamedFields(t *testing.T) {
	w := newWorld(t, account.RegistrationOpen)
	owner := w.newOwner(t)
	made, err := w.Keys.Create(t.Context(), owner, setting.Key{Name: "k", Tags: []string{"eu"}})
	require.NoError(t, err)
	all := setting.Key{
		Name: "all", Scopes: []string{"models"}, Models: []string{"m"}, Tags: []string{"us"}, MaySwapModel: true,
		BaselineModel: "b", Capture: setting.CaptureRedacted, ErrorFormat: setting.FormatFlat, ExpiresAt: tomorrow(),
		Limits: setting.Limits{NanoUSDPerDay: 9},
	}
	got, err := w.Keys.Update(t.Context(), owner, made.Key.ID, all, []string{"scopes"})
	require.NoError(t, err)
	require.Equal(t, setting.Key{Name: "k", Tags: []string{"eu"}, Scopes: []string{"models"}}, got.Settings)

	got, err = w.Keys.Update(t.Context(), owner, made.Key.ID, all, []string{
		"name", "scopes", "models", "tags", "may_swap_model", "baseline_model", "capture", "error_format", "expires_at", "limits",
	})
	require.NoError(t, err)
	require.Equal(t, all, got.Settings)
	keys, err := w.Keys.List(t.Context(), owner)
	require.NoError(t, err)
	require.Equal(t, all, keys[0].Settings)
}

func TestKeySettingsThatAreRefused(t *testing.T) {
	w := newWorld(t, account.RegistrationOpen)
	owner := w.newOwner(t)
	many := func(n int, text string) []string { return slices.Repeat([]string{text}, n) }
	for param, s := range map[string]setting.Key{
		"name":           {Name: "\t"},
		"scopes":         {Name: "k", Scopes: []string{"chat", "admin"}},
		"models":         {Name: "k", Models: many(101, "m")},
		"tags":           {Name: "k", Tags: []string{""}},
		"baseline_model": {Name: "k", BaselineModel: "a\nb"},
		"capture":        {Name: "k", Capture: "some"},
		"error_format":   {Name: "k", ErrorFormat: "xml"},
		"expires_at":     {Name: "k", ExpiresAt: time.Now().Add(-time.Second)},
		"limits":         {Name: "k", Limits: setting.Limits{TokensPerMinute: -1}},
		// Each of these has the maximum length.
		"settings": {Name: "k", Models: many(40, strings.Repeat("m", 200)), Tags: many(3, strings.Repeat("t", 64))},
	} {
		t.Run(param, func(t *testing.T) {
			_, err := w.Keys.Create(t.Context(), owner, s)
			requireParam(t, param, err)
		})
	}
	for _, s := range []setting.Key{
		{Name: strings.Repeat("n", 101)}, {Name: "k", Tags: many(33, "t")}, {Name: "k", Scopes: many(4, "chat")},
	} {
		_, err := w.Keys.Create(t.Context(), owner, s)
		requireCode(t, apperr.InvalidRequest, err)
	}
	_, err := w.Keys.Create(t.Context(), owner, setting.Key{
		Name: strings.Repeat("\u00e4", 100), Models: many(40, strings.Repeat("m", 190)), Tags: many(32, "t"),
	})
	require.NoError(t, err)
}

func TestKeysAreBounded(t *testing.T) {
	w := newWorld(t, account.RegistrationOpen)
	owner := w.newOwner(t)
	last, err := w.Keys.Create(t.Context(), owner, setting.Key{Name: "last"})
	require.NoError(t, err)
	require.NoError(t, w.store.Write(t.Context(), func(tx account.Tx) error {
		for n := range 499 {
			k := keyring.Key{ID: uuid.Must(uuid.NewV7()).String(), AccountID: owner.AccountID, MAC: fmt.Append(nil, n), CreatedAt: time.Now()}
			if err := tx.SaveKey(t.Context(), k); err != nil {
				return err
			}
		}
		return nil
	}))
	_, err = w.Keys.Create(t.Context(), owner, setting.Key{Name: "one more"})
	requireCode(t, apperr.InvalidRequest, err)
	require.EqualValues(t, 500, apperr.From(err).Details["limit"])
	_, err = w.Keys.Rotate(t.Context(), owner, last.Key.ID, time.Hour)
	requireCode(t, apperr.InvalidRequest, err)
	_, err = w.verify(t, last.Secret)
	require.NoError(t, err, "what was refused changed nothing")

	next, err := w.Keys.Rotate(t.Context(), owner, last.Key.ID, 0)
	require.NoError(t, err, "a rotation without overlap replaces the old key")
	_, err = w.Keys.Revoke(t.Context(), owner, next.Key.ID)
	require.NoError(t, err)
	_, err = w.Keys.Create(t.Context(), owner, setting.Key{Name: "in its place"})
	require.NoError(t, err)
	_, err = w.Keys.Create(t.Context(), w.newOwner(t), setting.Key{Name: "another account's"})
	require.NoError(t, err)
	keys, err := w.Keys.List(t.Context(), owner)
	require.NoError(t, err)
	require.Len(t, keys, 502)
}

func TestOneLimitIsChangedAndTheOthersStay(t *testing.T) {
	w := newWorld(t, account.RegistrationOpen)
	owner := w.newOwner(t)
	want := setting.Limits{RequestsPerMinute: 1, TokensPerMinute: 2, ConcurrentRequests: 3, NanoUSDPerDay: 4, NanoUSDPerMonth: 5}
	made, err := w.Keys.Create(t.Context(), owner, setting.Key{Name: "k", Limits: want})
	require.NoError(t, err)
	for name, limit := range map[string]*int64{
		"limits.requests_per_minute": &want.RequestsPerMinute, "limits.tokens_per_minute": &want.TokensPerMinute,
		"limits.concurrent_requests": &want.ConcurrentRequests, "limits.nano_usd_per_day": &want.NanoUSDPerDay,
		"limits.nano_usd_per_month": &want.NanoUSDPerMonth,
	} {
		*limit = 0
		got, err := w.Keys.Update(t.Context(), owner, made.Key.ID, setting.Key{}, []string{name})
		require.NoError(t, err)
		require.Equal(t, want, got.Settings.Limits, name)
	}
}

func TestPrincipalInheritsAccountSettings(t *testing.T) {
	w := newWorld(t, account.RegistrationOpen)
	owner := w.newOwner(t)
	open, err := w.Keys.Create(t.Context(), owner, setting.Key{Name: "open"})
	require.NoError(t, err)
	own, err := w.Keys.Create(t.Context(), owner, setting.Key{Name: "own", BaselineModel: "small", Capture: setting.CaptureFull})
	require.NoError(t, err)
	values := access.Account{BaselineModel: "large", Capture: setting.CaptureNone}
	_, err = w.UpdateAccount(t.Context(), owner, values, []string{"baseline_model", "capture"})
	require.NoError(t, err)

	p, err := w.verify(t, open.Secret)
	require.NoError(t, err)
	require.Equal(t, "large", p.Settings.BaselineModel)
	require.Equal(t, setting.CaptureNone, p.Settings.Capture)
	p, err = w.verify(t, own.Secret)
	require.NoError(t, err)
	require.Equal(t, "small", p.Settings.BaselineModel)
	require.Equal(t, setting.CaptureFull, p.Settings.Capture)
	keys, err := w.Keys.List(t.Context(), owner)
	require.NoError(t, err)
	require.Empty(t, keys[1].Settings.BaselineModel, "the holder sees what was given")
}

func TestChangesContainTheCurrentPrincipal(t *testing.T) {
	eachStore(t, func(t *testing.T, w world) {
		owner := w.newOwner(t)
		since, err := w.Keys.Head(t.Context())
		require.NoError(t, err)
		rung := w.NextChange()
		made, err := w.Keys.Create(t.Context(), owner, setting.Key{Name: "k"})
		require.NoError(t, err)
		<-rung
		_, err = w.Keys.Revoke(t.Context(), owner, made.Key.ID)
		require.NoError(t, err)
		_, err = w.UpdateAccount(t.Context(), owner, access.Account{Name: "New"}, []string{"name"})
		require.NoError(t, err)

		changes, err := w.Keys.Changes(t.Context(), since)
		require.NoError(t, err)
		require.Len(t, changes, 3)
		for i, c := range changes {
			require.Equal(t, since+1+int64(i), c.Version)
			require.Equal(t, owner.AccountID, c.AccountID)
		}
		for _, c := range changes[:2] {
			require.Equal(t, made.Key.ID, c.KeyID)
			require.Equal(t, keyring.Revoked, c.Principal.State)
			require.GreaterOrEqual(t, c.Principal.Version, c.Version)
		}
		require.Empty(t, changes[2].KeyID)
		require.Nil(t, changes[2].Principal)
	})
}

func TestOnlyTheMACIsStored(t *testing.T) {
	w := newWorld(t, account.RegistrationOpen)
	made, err := w.Keys.Create(t.Context(), w.newOwner(t), setting.Key{Name: "k"})
	require.NoError(t, err)
	digest := apikey.DigestOf(made.Secret)
	_, err = w.store.CredentialByMAC(t.Context(), digest[:])
	require.True(t, errors.Is(err, access.ErrNoRow), "the digest itself opens nothing")
}

package account_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/services/keyauth/internal/report"

	"github.com/signalbox/signalbox/services/keyauth/internal/setting"
)

func TestLastUsesAreShown(t *testing.T) {
	eachStore(t, func(t *testing.T, w world) {
		owner, other := w.newOwner(t), w.newOwner(t)
		old, err := w.Keys.Create(t.Context(), owner, setting.Key{Name: "k"})
		require.NoError(t, err)
		next, err := w.Keys.Rotate(t.Context(), owner, old.Key.ID, time.Hour)
		require.NoError(t, err)
		head, err := w.Keys.Head(t.Context())
		require.NoError(t, err)
		at := time.Now().UTC().Truncate(time.Microsecond).Add(-time.Hour)
		use := func(accountID, keyID string, at time.Time, address string) report.Use {
			return report.Use{AccountID: accountID, KeyID: keyID, At: at, Address: address}
		}
		require.NoError(t, w.ReportUse(t.Context(), nil))
		require.NoError(t, w.ReportUse(t.Context(), []report.Use{
			use(owner.AccountID, old.Key.ID, at.Add(time.Minute), "::ffff:192.0.2.2"), use(owner.AccountID, old.Key.ID, at, "192.0.2.1"),
			use(other.AccountID, next.Key.ID, at, "192.0.2.9"),
		}))
		keys, err := w.Keys.List(t.Context(), owner)
		require.NoError(t, err)
		require.Zero(t, keys[0].LastUsedAt, "not theirs to report")
		require.Equal(t, at.Add(time.Minute), keys[1].LastUsedAt)
		require.Equal(t, "192.0.2.2", keys[1].LastUsedFrom)
		after, err := w.Keys.Head(t.Context())
		require.NoError(t, err)
		require.Equal(t, head, after, "no change for proxies")

		revoked, err := w.Keys.Revoke(t.Context(), owner, old.Key.ID)
		require.NoError(t, err)
		require.Equal(t, "192.0.2.2", revoked.LastUsedFrom)
		require.NoError(t, w.ReportUse(t.Context(), []report.Use{use(owner.AccountID, next.Key.ID, time.Now().Add(time.Hour), "")}))
		keys, err = w.Keys.List(t.Context(), owner)
		require.NoError(t, err)
		require.Less(t, time.Until(keys[0].LastUsedAt), 2*time.Minute, "a clock that is ahead hides no later use")
	})
}

func TestInvalidUseDoesNotBlockOthers(t *testing.T) {
	eachStore(t, func(t *testing.T, w world) {
		owner := w.newOwner(t)
		made, err := w.Keys.Create(t.Context(), owner, setting.Key{Name: "k"})
		require.NoError(t, err)
		good := report.Use{AccountID: owner.AccountID, KeyID: made.Key.ID, At: time.Now().Add(-time.Hour), Address: "fe80::1%forged"}
		all := []report.Use{good}
		for _, spoil := range []func(u *report.Use){
			func(u *report.Use) { u.AccountID = "x\x00y" },
			func(u *report.Use) { u.KeyID = "" },
			func(u *report.Use) { u.At = time.Time{} },
		} {
			bad := good
			spoil(&bad)
			all = append(all, bad)
		}
		require.NoError(t, w.ReportUse(t.Context(), all))
		keys, err := w.Keys.List(t.Context(), owner)
		require.NoError(t, err)
		require.Equal(t, "fe80::1", keys[0].LastUsedFrom)
		good.At, good.Address = good.At.Add(time.Minute), "6.6.6.6 forged"
		require.NoError(t, w.ReportUse(t.Context(), []report.Use{good}))
		keys, err = w.Keys.List(t.Context(), owner)
		require.NoError(t, err)
		require.True(t, good.At.Truncate(time.Microsecond).Equal(keys[0].LastUsedAt))
		require.Empty(t, keys[0].LastUsedFrom, "what is no address is not shown")
		requireParam(t, "uses", w.ReportUse(t.Context(), make([]report.Use, 1001)))
	})
}

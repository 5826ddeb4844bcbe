package account_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/services/keyauth/internal/access"
	"github.com/signalbox/signalbox/services/keyauth/internal/account"
	"github.com/signalbox/signalbox/services/keyauth/internal/keyring"
	"github.com/signalbox/signalbox/services/keyauth/internal/setting"
)

func TestAPlaygroundKeyBelongsToItsUser(t *testing.T) {
	eachStore(t, func(t *testing.T, w world) {
		owner := w.newOwner(t)
		member := w.newActor(t, owner.AccountID, access.Member)
		mine, err := w.Keys.IssuePlayground(t.Context(), owner)
		require.NoError(t, err)
		other, err := w.Keys.IssuePlayground(t.Context(), member)
		require.NoError(t, err)
		require.NotEqual(t, mine.KeyID, other.KeyID)
		require.NotEqual(t, mine.Secret, other.Secret)

		p, err := w.verify(t, mine.Secret)
		require.NoError(t, err)
		require.Equal(t, owner.AccountID, p.AccountID)
		require.Equal(t, mine.KeyID, p.KeyID)
		require.Equal(t, []string{"playground"}, p.Settings.Tags)
		require.Contains(t, p.Settings.Name, "Playground: ")

		keys, err := w.Keys.List(t.Context(), owner)
		require.NoError(t, err)
		require.Empty(t, keys, "users do not manage it")
		_, err = w.Keys.Revoke(t.Context(), owner, mine.KeyID)
		requireCode(t, apperr.NotFound, err)
		_, err = w.Keys.Rotate(t.Context(), owner, mine.KeyID, 0)
		requireCode(t, apperr.NotFound, err)
		_, err = w.Keys.Update(t.Context(), owner, mine.KeyID, setting.Key{Name: "x"}, []string{"name"})
		requireCode(t, apperr.NotFound, err)
	})
}

func TestOnlyMembersGetAPlaygroundKey(t *testing.T) {
	w := newWorld(t, account.RegistrationOpen)
	owner := w.newOwner(t)
	viewer := w.newActor(t, owner.AccountID, access.Viewer)
	_, err := w.Keys.IssuePlayground(t.Context(), viewer)
	requireCode(t, apperr.AuthForbidden, err)
	_, err = w.Keys.IssuePlayground(t.Context(), access.Actor{AccountID: owner.AccountID})
	requireCode(t, apperr.AuthForbidden, err)
	_, err = w.Keys.IssuePlayground(t.Context(), access.Actor{AccountID: w.newOwner(t).AccountID, UserID: owner.UserID})
	requireCode(t, apperr.NotFound, err)
}

func TestAPlaygroundKeyIsReplaced(t *testing.T) {
	inTime(t, func(t *testing.T, w world) {
		owner := w.newOwner(t)
		first, err := w.Keys.IssuePlayground(t.Context(), owner)
		require.NoError(t, err)
		head, err := w.Keys.Head(t.Context())
		require.NoError(t, err)
		again, err := w.Keys.IssuePlayground(t.Context(), owner)
		require.NoError(t, err)
		require.Equal(t, first, again, "every dashboard gets the same key")
		same, err := w.Keys.Head(t.Context())
		require.NoError(t, err)
		require.Equal(t, head, same, "and proxies are not woken")

		<-time.After(time.Until(first.RefreshAt))
		_, err = w.verify(t, first.Secret)
		require.NoError(t, err, "a request may still use it")
		second, err := w.Keys.IssuePlayground(t.Context(), owner)
		require.NoError(t, err)
		require.Equal(t, first.KeyID, second.KeyID, "reports show one key for a user")
		require.NotEqual(t, first.Secret, second.Secret)
		_, err = w.verify(t, first.Secret)
		requireRefused(t, "unknown", err)
		_, err = w.verify(t, second.Secret)
		require.NoError(t, err)

		// A proxy must verify the digest it holds, because it may be that of the old secret.
		changes, err := w.Keys.Changes(t.Context(), head)
		require.NoError(t, err)
		require.Len(t, changes, 1)
		require.Equal(t, first.KeyID, changes[0].KeyID)
		require.Nil(t, changes[0].Principal)

		<-time.After(time.Until(second.RefreshAt.Add(30 * time.Minute)))
		_, err = w.verify(t, second.Secret)
		requireRefused(t, "expired", err)
	})
}

func TestARemovedUserLosesThePlaygroundKey(t *testing.T) {
	eachStore(t, func(t *testing.T, w world) {
		owner := w.newOwner(t)
		member := w.newActor(t, owner.AccountID, access.Member)
		k, err := w.Keys.IssuePlayground(t.Context(), member)
		require.NoError(t, err)
		head, err := w.Keys.Head(t.Context())
		require.NoError(t, err)
		require.NoError(t, w.RemoveUser(t.Context(), owner, member.UserID))
		_, err = w.verify(t, k.Secret)
		requireRefused(t, "revoked", err)
		changes, err := w.Keys.Changes(t.Context(), head)
		require.NoError(t, err)
		require.Equal(t, keyring.Revoked, changes[len(changes)-1].Principal.State, "proxies are told at once")
	})
}

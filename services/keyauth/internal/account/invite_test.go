package account_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apikey"
	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/services/keyauth/internal/access"
	"github.com/signalbox/signalbox/services/keyauth/internal/account"
)

func TestAnInviteLetsOnePersonJoin(t *testing.T) {
	eachStore(t, func(t *testing.T, w world) {
		owner := w.newOwner(t)
		invite, err := w.InviteUser(t.Context(), owner, access.Viewer)
		require.NoError(t, err)
		in, err := w.AcceptInvite(t.Context(), invite.Token, person("ada@example.com"), "ignored")
		require.NoError(t, err)
		require.Equal(t, owner.AccountID, in.Identity.Account.ID)
		require.Equal(t, access.Viewer, in.Identity.User.Role)
		_, err = w.Session(t.Context(), in.Token)
		require.NoError(t, err)
		_, err = w.AcceptInvite(t.Context(), invite.Token, person("bob@example.com"), "")
		requireCode(t, apperr.TokenInvalid, err)
	})
}

func TestTakenEmailDoesNotUseUpTheInvite(t *testing.T) {
	w := newWorld(t, account.RegistrationOpen)
	_, err := w.Register(t.Context(), person("ada@example.com"), "")
	require.NoError(t, err)
	invite, err := w.InviteUser(t.Context(), w.newOwner(t), access.Member)
	require.NoError(t, err)
	_, err = w.AcceptInvite(t.Context(), invite.Token, person("ada@example.com"), "")
	requireCode(t, apperr.EmailTaken, err)
	_, err = w.AcceptInvite(t.Context(), invite.Token, person("bob@example.com"), "")
	require.NoError(t, err)
}

func TestInviteExpires(t *testing.T) {
	inTime(t, func(t *testing.T, w world) {
		invite, err := w.InviteUser(t.Context(), w.newOwner(t), access.Member)
		require.NoError(t, err)
		require.Equal(t, time.Now().Add(7*24*time.Hour), invite.ExpiresAt.Local())
		after(7 * 24 * time.Hour)
		_, err = w.AcceptInvite(t.Context(), invite.Token, person("ada@example.com"), "")
		requireCode(t, apperr.TokenInvalid, err)
	})
}

func TestAnInviteNeedsARole(t *testing.T) {
	w := newWorld(t, account.RegistrationOpen)
	_, err := w.InviteUser(t.Context(), w.newOwner(t), "unknown")
	requireParam(t, "role", err)
}

// operator returns the owner of the operator's account.
func operator(t *testing.T, w world) access.Actor {
	t.Helper()
	_, err := w.Bootstrap(t.Context(), "")
	require.NoError(t, err)
	a, err := w.store.Operator(t.Context())
	require.NoError(t, err)
	return w.newActor(t, a.ID, access.Owner)
}

func TestTheOperatorAloneInvitesAccounts(t *testing.T) {
	w := newWorld(t, account.RegistrationInvite)
	_, err := w.InviteAccount(t.Context(), w.newOwner(t))
	requireCode(t, apperr.AuthForbidden, err)
	invite, err := w.InviteAccount(t.Context(), operator(t, w))
	require.NoError(t, err)
	in, err := w.AcceptInvite(t.Context(), invite.Token, person("ada@example.com"), "Ada's")
	require.NoError(t, err)
	require.Equal(t, "Ada's", in.Identity.Account.Name)
	require.Equal(t, access.Owner, in.Identity.User.Role)
	require.False(t, in.Identity.Account.Operator)
}

func TestClosedMeansNoNewAccounts(t *testing.T) {
	w := newWorld(t, account.RegistrationClosed)
	_, err := w.InviteAccount(t.Context(), operator(t, w))
	requireCode(t, apperr.RegistrationOff, err)
	invite, err := w.InviteUser(t.Context(), w.newOwner(t), access.Member)
	require.NoError(t, err)
	_, err = w.AcceptInvite(t.Context(), invite.Token, person("ada@example.com"), "")
	require.NoError(t, err, "users may still join")
}

func TestBootstrapOnceAndClaim(t *testing.T) {
	eachStore(t, func(t *testing.T, w world) {
		first, err := w.Bootstrap(t.Context(), "The house")
		require.NoError(t, err)
		require.True(t, first.Created)
		p, err := w.Keys.Verify(t.Context(), apikey.DigestOf(first.Key))
		require.NoError(t, err)
		require.Equal(t, "first key", p.Settings.Name)

		again, err := w.Bootstrap(t.Context(), "Another")
		require.NoError(t, err)
		require.False(t, again.Created)
		require.Empty(t, again.Key)
		_, err = w.Claim(t.Context(), first.ClaimToken, person("ada@example.com"))
		requireCode(t, apperr.TokenInvalid, err)

		in, err := w.Claim(t.Context(), again.ClaimToken, person("ada@example.com"))
		require.NoError(t, err)
		require.Equal(t, p.AccountID, in.Identity.Account.ID)
		require.Equal(t, "The house", in.Identity.Account.Name)
		require.True(t, in.Identity.Account.Operator)
		require.Equal(t, access.Owner, in.Identity.User.Role)

		_, err = w.Claim(t.Context(), again.ClaimToken, person("bob@example.com"))
		requireCode(t, apperr.TokenInvalid, err)
		claimed, err := w.Bootstrap(t.Context(), "")
		require.NoError(t, err)
		require.Equal(t, account.BootstrapResult{}, claimed)
	})
}

func TestAnEmptyTokenClaimsNothing(t *testing.T) {
	w := newWorld(t, account.RegistrationOpen)
	_, err := w.Claim(t.Context(), "", person("ada@example.com"))
	requireCode(t, apperr.TokenInvalid, err)
	operator(t, w)
	_, err = w.Claim(t.Context(), "", person("ada@example.com"))
	requireCode(t, apperr.TokenInvalid, err)
}

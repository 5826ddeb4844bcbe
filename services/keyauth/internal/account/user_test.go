package account_test

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/services/keyauth/internal/access"
	"github.com/signalbox/signalbox/services/keyauth/internal/account"
	"github.com/signalbox/signalbox/services/keyauth/internal/setting"
)

func TestARoleIsChanged(t *testing.T) {
	eachStore(t, func(t *testing.T, w world) {
		owner := w.newOwner(t)
		viewer := w.newActor(t, owner.AccountID, access.Viewer)
		u, err := w.UpdateUser(t.Context(), owner, viewer.UserID, access.Member)
		require.NoError(t, err)
		require.Equal(t, access.Member, u.Role)
		_, err = w.Keys.Create(t.Context(), viewer, setting.Key{Name: "k"})
		require.NoError(t, err)
		users, err := w.Users(t.Context(), viewer)
		require.NoError(t, err)
		require.Equal(t, []string{owner.UserID, viewer.UserID}, []string{users[0].ID, users[1].ID})
		_, err = w.UpdateUser(t.Context(), owner, viewer.UserID, "unknown")
		requireParam(t, "role", err)
	})
}

func TestUsersCannotRaiseTheirOwnRole(t *testing.T) {
	w := newWorld(t, account.RegistrationOpen)
	member := w.newActor(t, w.newOwner(t).AccountID, access.Member)
	_, err := w.UpdateUser(t.Context(), member, member.UserID, access.Owner)
	requireCode(t, apperr.AuthForbidden, err)
	_, err = w.InviteUser(t.Context(), member, access.Owner)
	requireCode(t, apperr.AuthForbidden, err)
}

func TestLastOwnerCannotLeave(t *testing.T) {
	w := newWorld(t, account.RegistrationOpen)
	first := w.newOwner(t)
	w.newActor(t, first.AccountID, access.Member)
	_, err := w.UpdateUser(t.Context(), first, first.UserID, access.Viewer)
	requireParam(t, "user_id", err)
	requireParam(t, "user_id", w.RemoveUser(t.Context(), first, first.UserID))
	requireParam(t, "user_id", w.RemoveUser(t.Context(), access.Actor{AccountID: first.AccountID}, first.UserID))

	second := w.newActor(t, first.AccountID, access.Owner)
	require.NoError(t, w.RemoveUser(t.Context(), first, first.UserID))
	requireParam(t, "user_id", w.RemoveUser(t.Context(), second, second.UserID))
}

func TestRemovedUserIsSignedOut(t *testing.T) {
	eachStore(t, func(t *testing.T, w world) {
		owner := w.newOwner(t)
		invite, err := w.InviteUser(t.Context(), owner, access.Owner)
		require.NoError(t, err)
		in, err := w.AcceptInvite(t.Context(), invite.Token, person("ada@example.com"), "")
		require.NoError(t, err)
		back, err := w.InviteUser(t.Context(), actorOf(in), access.Owner)
		require.NoError(t, err)

		require.NoError(t, w.RemoveUser(t.Context(), owner, in.Identity.User.ID))
		_, err = w.Session(t.Context(), in.Token)
		requireCode(t, apperr.SessionRequired, err)
		_, err = w.Login(t.Context(), person("ada@example.com"))
		requireCode(t, apperr.LoginFailed, err)
		_, err = w.AcceptInvite(t.Context(), back.Token, person("ada@example.com"), "")
		requireCode(t, apperr.TokenInvalid, err)
		requireCode(t, apperr.NotFound, w.RemoveUser(t.Context(), owner, in.Identity.User.ID))
	})
}

func TestInvitesOfFormerOwnersAreRevoked(t *testing.T) {
	w := newWorld(t, account.RegistrationOpen)
	owner := w.newOwner(t)
	other := w.newActor(t, owner.AccountID, access.Owner)
	back, err := w.InviteUser(t.Context(), other, access.Owner)
	require.NoError(t, err)
	mine, err := w.InviteUser(t.Context(), owner, access.Viewer)
	require.NoError(t, err)
	_, err = w.UpdateUser(t.Context(), owner, other.UserID, access.Member)
	require.NoError(t, err)
	_, err = w.AcceptInvite(t.Context(), back.Token, person("ada@example.com"), "")
	requireCode(t, apperr.TokenInvalid, err)
	events := w.trail(t, owner.AccountID)
	require.Equal(t, []string{"user.role", "invite.revoke"}, []string{events[0].Action, events[1].Action})
	require.Equal(t, back.ID, events[1].Subject)
	require.Contains(t, events[1].Before, `"role":"owner"`)
	open, err := w.Invites(t.Context(), owner)
	require.NoError(t, err)
	require.Len(t, open, 1)
	require.Equal(t, mine.ID, open[0].ID, "another's stay")
}

func TestUsersMayLeave(t *testing.T) {
	w := newWorld(t, account.RegistrationOpen)
	viewer := w.newActor(t, w.newOwner(t).AccountID, access.Viewer)
	require.NoError(t, w.RemoveUser(t.Context(), viewer, viewer.UserID))
	_, err := w.Account(t.Context(), viewer)
	requireCode(t, apperr.NotFound, err)
}

func TestSessionsOfAPersonEnd(t *testing.T) {
	w := newWorld(t, account.RegistrationOpen)
	first, err := w.Register(t.Context(), person("ada@example.com"), "")
	require.NoError(t, err)
	second, err := w.Login(t.Context(), person("ada@example.com"))
	require.NoError(t, err)
	require.NoError(t, w.EndSessions(t.Context(), actorOf(first), "", second.Identity.Session.ID))
	_, err = w.Session(t.Context(), first.Token)
	requireCode(t, apperr.SessionRequired, err)
	_, err = w.Session(t.Context(), second.Token)
	require.NoError(t, err)

	owner := w.newActor(t, first.Identity.Account.ID, access.Owner)
	require.NoError(t, w.EndSessions(t.Context(), owner, first.Identity.User.ID, ""))
	_, err = w.Session(t.Context(), second.Token)
	requireCode(t, apperr.SessionRequired, err)
	requireCode(t, apperr.NotFound, w.EndSessions(t.Context(), access.Actor{AccountID: owner.AccountID}, "", ""))
	requireCode(t, apperr.NotFound, w.EndSessions(t.Context(), owner, "", "x\x00y"))
}

func TestOldestSessionIsEvicted(t *testing.T) {
	w := newWorld(t, account.RegistrationOpen)
	in, err := w.Register(t.Context(), person("ada@example.com"), "")
	require.NoError(t, err)
	me := actorOf(in)
	require.NoError(t, w.store.Write(t.Context(), func(tx account.Tx) error {
		for range 99 {
			at := time.Now()
			one := access.Session{ID: uuid.NewString(), AccountID: me.AccountID, UserID: me.UserID, Hash: []byte(uuid.NewString()), CreatedAt: at, SeenAt: at}
			if err := tx.SaveSession(t.Context(), one); err != nil {
				return err
			}
		}
		return nil
	}))
	_, err = w.Login(t.Context(), person("ada@example.com"))
	require.NoError(t, err)
	list, err := w.Sessions(t.Context(), me)
	require.NoError(t, err)
	require.Len(t, list, 100)
	_, err = w.Session(t.Context(), in.Token)
	requireCode(t, apperr.SessionRequired, err)
}

func TestUsersAndInvitesAreBounded(t *testing.T) {
	w := newWorld(t, account.RegistrationOpen)
	owner := w.newOwner(t)
	invite, err := w.InviteUser(t.Context(), owner, access.Viewer)
	require.NoError(t, err)
	for range 99 {
		_, err := w.InviteUser(t.Context(), owner, access.Viewer)
		require.NoError(t, err)
	}
	_, err = w.InviteUser(t.Context(), owner, access.Viewer)
	requireCode(t, apperr.InvalidRequest, err)
	require.NoError(t, w.store.Write(t.Context(), func(tx account.Tx) error {
		for range 499 {
			u := access.User{ID: uuid.NewString(), AccountID: owner.AccountID, Role: access.Viewer, CreatedAt: time.Now()}
			u.Email = u.ID
			if err := tx.SaveUser(t.Context(), u); err != nil {
				return err
			}
		}
		return nil
	}))
	_, err = w.AcceptInvite(t.Context(), invite.Token, person("ada@example.com"), "")
	requireCode(t, apperr.InvalidRequest, err)
}

func TestAccountsAreListedForTheOperator(t *testing.T) {
	w := newWorld(t, account.RegistrationOpen)
	var want []string
	for range 3 {
		want = append(want, w.newAccount(t).ID)
	}
	var got []string
	for next, more := "", true; more; more = next != "" {
		page, after, err := w.Accounts(t.Context(), access.Actor{}, next, 2)
		require.NoError(t, err)
		for _, a := range page {
			got = append(got, a.ID)
		}
		next = after
	}
	require.Equal(t, want, got)
	_, _, err := w.Accounts(t.Context(), access.Actor{}, "x\x00y", 0)
	requireParam(t, "after", err)

	guest := w.newAccount(t)
	_, _, err = w.Accounts(t.Context(), w.newActor(t, guest.ID, access.Owner), "", 0)
	requireCode(t, apperr.NotFound, err)
}

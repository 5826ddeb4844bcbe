package account_test

import (
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/services/keyauth/internal/account"
	"github.com/signalbox/signalbox/services/keyauth/internal/audit"
	"github.com/signalbox/signalbox/services/keyauth/internal/setting"
)

// calls lists all operations on an account with the minimum role for each.
func calls(w world, keyID string) map[string]struct {
	least account.Role
	call  func(t *testing.T, actor account.Actor) error
} {
	type row = struct {
		least account.Role
		call  func(t *testing.T, actor account.Actor) error
	}
	named := []string{"name"}
	return map[string]row{
		"get account": {account.Viewer, func(t *testing.T, a account.Actor) error {
			_, err := w.Account(t.Context(), a)
			return err
		}},
		"list keys": {account.Viewer, func(t *testing.T, a account.Actor) error {
			_, err := w.Keys(t.Context(), a)
			return err
		}},
		"create key": {account.Member, func(t *testing.T, a account.Actor) error {
			_, err := w.CreateKey(t.Context(), a, setting.Key{Name: "k"})
			return err
		}},
		"update key": {account.Member, func(t *testing.T, a account.Actor) error {
			_, err := w.UpdateKey(t.Context(), a, keyID, setting.Key{Name: "renamed"}, named)
			return err
		}},
		"rotate key": {account.Member, func(t *testing.T, a account.Actor) error {
			made, err := w.CreateKey(t.Context(), account.Actor{AccountID: a.AccountID}, setting.Key{Name: "k"})
			require.NoError(t, err)
			_, err = w.RotateKey(t.Context(), a, made.Key.ID, 0)
			return err
		}},
		"revoke key": {account.Member, func(t *testing.T, a account.Actor) error {
			made, err := w.CreateKey(t.Context(), account.Actor{AccountID: a.AccountID}, setting.Key{Name: "k"})
			require.NoError(t, err)
			_, err = w.RevokeKey(t.Context(), a, made.Key.ID)
			return err
		}},
		"update account": {account.Owner, func(t *testing.T, a account.Actor) error {
			_, err := w.UpdateAccount(t.Context(), a, account.Account{Name: "New"}, named)
			return err
		}},
		"list users": {account.Viewer, func(t *testing.T, a account.Actor) error {
			_, err := w.Users(t.Context(), a)
			return err
		}},
		"update user": {account.Owner, func(t *testing.T, a account.Actor) error {
			_, err := w.UpdateUser(t.Context(), a, w.newActor(t, a.AccountID, account.Viewer).UserID, account.Member)
			return err
		}},
		"remove user": {account.Owner, func(t *testing.T, a account.Actor) error {
			return w.RemoveUser(t.Context(), a, w.newActor(t, a.AccountID, account.Viewer).UserID)
		}},
		"end another's sessions": {account.Owner, func(t *testing.T, a account.Actor) error {
			return w.EndSessions(t.Context(), a, w.newActor(t, a.AccountID, account.Viewer).UserID, "")
		}},
		"list sessions": {account.Viewer, func(t *testing.T, a account.Actor) error {
			_, err := w.Sessions(t.Context(), a)
			return err
		}},
		"list invites": {account.Owner, func(t *testing.T, a account.Actor) error {
			_, err := w.Invites(t.Context(), a)
			return err
		}},
		"revoke invite": {account.Owner, func(t *testing.T, a account.Actor) error {
			owner := account.Actor{AccountID: a.AccountID}
			_, err := w.InviteUser(t.Context(), owner, account.Viewer)
			require.NoError(t, err)
			all, err := w.Invites(t.Context(), owner)
			require.NoError(t, err)
			return w.RevokeInvite(t.Context(), a, all[0].ID)
		}},
		"list audit": {account.Owner, func(t *testing.T, a account.Actor) error {
			_, _, err := w.Audit(t.Context(), a, audit.Filter{}, 0, 0)
			return err
		}},
		"invite": {account.Owner, func(t *testing.T, a account.Actor) error {
			_, err := w.InviteUser(t.Context(), a, account.Viewer)
			return err
		}},
	}
}

func TestRoles(t *testing.T) {
	w := newWorld(t, account.RegistrationOpen)
	a := w.newAccount(t)
	made, err := w.CreateKey(t.Context(), account.Actor{AccountID: a.ID}, setting.Key{Name: "k"})
	require.NoError(t, err)
	order := []account.Role{account.Viewer, account.Member, account.Owner}
	for at, role := range order {
		actor := w.newActor(t, a.ID, role)
		for name, c := range calls(w, made.Key.ID) {
			t.Run(string(role)+" "+name, func(t *testing.T) {
				err := c.call(t, actor)
				for _, stronger := range order[at+1:] {
					if stronger == c.least {
						requireCode(t, apperr.AuthForbidden, err)
						return
					}
				}
				require.NoError(t, err)
			})
		}
	}
}

func TestTheCommandLineMayDoEverything(t *testing.T) {
	w := newWorld(t, account.RegistrationOpen)
	a := w.newAccount(t)
	made, err := w.CreateKey(t.Context(), account.Actor{AccountID: a.ID}, setting.Key{Name: "k"})
	require.NoError(t, err)
	for name, c := range calls(w, made.Key.ID) {
		t.Run(name, func(t *testing.T) { require.NoError(t, c.call(t, account.Actor{AccountID: a.ID})) })
	}
}

func TestAnotherAccountsIDsAreNotFound(t *testing.T) {
	eachStore(t, func(t *testing.T, w world) {
		mine, theirs := w.newOwner(t), w.newOwner(t)
		made, err := w.CreateKey(t.Context(), theirs, setting.Key{Name: "theirs"})
		require.NoError(t, err)

		_, err = w.UpdateKey(t.Context(), mine, made.Key.ID, setting.Key{Name: "mine"}, []string{"name"})
		requireCode(t, apperr.NotFound, err)
		_, err = w.RotateKey(t.Context(), mine, made.Key.ID, 0)
		requireCode(t, apperr.NotFound, err)
		_, err = w.RevokeKey(t.Context(), mine, made.Key.ID)
		requireCode(t, apperr.NotFound, err)
		_, err = w.UpdateUser(t.Context(), mine, theirs.UserID, account.Viewer)
		requireCode(t, apperr.NotFound, err)
		requireCode(t, apperr.NotFound, w.RemoveUser(t.Context(), mine, theirs.UserID))
		requireCode(t, apperr.NotFound, w.EndSessions(t.Context(), mine, theirs.UserID, ""))
		_, err = w.InviteUser(t.Context(), theirs, account.Viewer)
		require.NoError(t, err)
		invites, err := w.Invites(t.Context(), theirs)
		require.NoError(t, err)
		requireCode(t, apperr.NotFound, w.RevokeInvite(t.Context(), mine, invites[0].ID))
		keys, err := w.Keys(t.Context(), mine)
		require.NoError(t, err)
		require.Empty(t, keys)

		keys, err = w.Keys(t.Context(), theirs)
		require.NoError(t, err)
		require.Equal(t, []account.Key{made.Key}, keys, "untouched")
	})
}

func TestActorsThatDoNotExistAreNotFound(t *testing.T) {
	eachStore(t, func(t *testing.T, w world) {
		mine, theirs := w.newOwner(t), w.newOwner(t)
		for _, actor := range []account.Actor{
			{},
			{AccountID: uuid.NewString()},
			{AccountID: "x\x00y"},
			{AccountID: mine.AccountID, UserID: theirs.UserID},
			{AccountID: mine.AccountID, UserID: "x\x00y"},
		} {
			_, err := w.Keys(t.Context(), actor)
			requireCode(t, apperr.NotFound, err)
		}
		_, err := w.RevokeKey(t.Context(), mine, "x\x00y")
		requireCode(t, apperr.NotFound, err)
		_, err = w.UpdateUser(t.Context(), mine, "x\x00y", account.Viewer)
		requireCode(t, apperr.NotFound, err)
		requireCode(t, apperr.NotFound, w.RemoveUser(t.Context(), mine, "x\x00y"))
		requireCode(t, apperr.NotFound, w.EndSessions(t.Context(), mine, "x\x00y", ""))
		requireCode(t, apperr.NotFound, w.RevokeInvite(t.Context(), mine, "x\x00y"))
		requireCode(t, apperr.NotFound, w.EndSession(t.Context(), mine, "x\x00y"))
	})
}

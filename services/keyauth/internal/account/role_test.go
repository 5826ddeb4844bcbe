package account_test

import (
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/services/keyauth/internal/access"
	"github.com/signalbox/signalbox/services/keyauth/internal/account"
	"github.com/signalbox/signalbox/services/keyauth/internal/audit"
	"github.com/signalbox/signalbox/services/keyauth/internal/keyring"
	"github.com/signalbox/signalbox/services/keyauth/internal/setting"
)

// calls lists all operations on an account with the minimum role for each.
func calls(w world, keyID string) map[string]struct {
	least access.Role
	call  func(t *testing.T, actor access.Actor) error
} {
	type row = struct {
		least access.Role
		call  func(t *testing.T, actor access.Actor) error
	}
	named := []string{"name"}
	return map[string]row{
		"get account": {access.Viewer, func(t *testing.T, a access.Actor) error {
			_, err := w.Account(t.Context(), a)
			return err
		}},
		"list keys": {access.Viewer, func(t *testing.T, a access.Actor) error {
			_, err := w.Keys.List(t.Context(), a)
			return err
		}},
		"create key": {access.Member, func(t *testing.T, a access.Actor) error {
			_, err := w.Keys.Create(t.Context(), a, setting.Key{Name: "k"})
			return err
		}},
		"update key": {access.Member, func(t *testing.T, a access.Actor) error {
			_, err := w.Keys.Update(t.Context(), a, keyID, setting.Key{Name: "renamed"}, named)
			return err
		}},
		"rotate key": {access.Member, func(t *testing.T, a access.Actor) error {
			made, err := w.Keys.Create(t.Context(), access.Actor{AccountID: a.AccountID}, setting.Key{Name: "k"})
			require.NoError(t, err)
			_, err = w.Keys.Rotate(t.Context(), a, made.Key.ID, 0)
			return err
		}},
		"revoke key": {access.Member, func(t *testing.T, a access.Actor) error {
			made, err := w.Keys.Create(t.Context(), access.Actor{AccountID: a.AccountID}, setting.Key{Name: "k"})
			require.NoError(t, err)
			_, err = w.Keys.Revoke(t.Context(), a, made.Key.ID)
			return err
		}},
		"update account": {access.Owner, func(t *testing.T, a access.Actor) error {
			_, err := w.UpdateAccount(t.Context(), a, access.Account{Name: "New"}, named)
			return err
		}},
		"list users": {access.Viewer, func(t *testing.T, a access.Actor) error {
			_, err := w.Users(t.Context(), a)
			return err
		}},
		"update user": {access.Owner, func(t *testing.T, a access.Actor) error {
			_, err := w.UpdateUser(t.Context(), a, w.newActor(t, a.AccountID, access.Viewer).UserID, access.Member)
			return err
		}},
		"remove user": {access.Owner, func(t *testing.T, a access.Actor) error {
			return w.RemoveUser(t.Context(), a, w.newActor(t, a.AccountID, access.Viewer).UserID)
		}},
		"end another's sessions": {access.Owner, func(t *testing.T, a access.Actor) error {
			return w.EndSessions(t.Context(), a, w.newActor(t, a.AccountID, access.Viewer).UserID, "")
		}},
		"list sessions": {access.Viewer, func(t *testing.T, a access.Actor) error {
			_, err := w.Sessions(t.Context(), a)
			return err
		}},
		"list invites": {access.Owner, func(t *testing.T, a access.Actor) error {
			_, err := w.Invites(t.Context(), a)
			return err
		}},
		"revoke invite": {access.Owner, func(t *testing.T, a access.Actor) error {
			owner := access.Actor{AccountID: a.AccountID}
			_, err := w.InviteUser(t.Context(), owner, access.Viewer)
			require.NoError(t, err)
			all, err := w.Invites(t.Context(), owner)
			require.NoError(t, err)
			return w.RevokeInvite(t.Context(), a, all[0].ID)
		}},
		"list audit": {access.Owner, func(t *testing.T, a access.Actor) error {
			_, _, err := w.Audit(t.Context(), a, audit.Filter{}, 0, 0)
			return err
		}},
		"invite": {access.Owner, func(t *testing.T, a access.Actor) error {
			_, err := w.InviteUser(t.Context(), a, access.Viewer)
			return err
		}},
	}
}

func TestRoles(t *testing.T) {
	w := newWorld(t, account.RegistrationOpen)
	a := w.newAccount(t)
	made, err := w.Keys.Create(t.Context(), access.Actor{AccountID: a.ID}, setting.Key{Name: "k"})
	require.NoError(t, err)
	order := []access.Role{access.Viewer, access.Member, access.Owner}
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
	made, err := w.Keys.Create(t.Context(), access.Actor{AccountID: a.ID}, setting.Key{Name: "k"})
	require.NoError(t, err)
	for name, c := range calls(w, made.Key.ID) {
		t.Run(name, func(t *testing.T) { require.NoError(t, c.call(t, access.Actor{AccountID: a.ID})) })
	}
}

func TestAnotherAccountsIDsAreNotFound(t *testing.T) {
	eachStore(t, func(t *testing.T, w world) {
		mine, theirs := w.newOwner(t), w.newOwner(t)
		made, err := w.Keys.Create(t.Context(), theirs, setting.Key{Name: "theirs"})
		require.NoError(t, err)

		_, err = w.Keys.Update(t.Context(), mine, made.Key.ID, setting.Key{Name: "mine"}, []string{"name"})
		requireCode(t, apperr.NotFound, err)
		_, err = w.Keys.Rotate(t.Context(), mine, made.Key.ID, 0)
		requireCode(t, apperr.NotFound, err)
		_, err = w.Keys.Revoke(t.Context(), mine, made.Key.ID)
		requireCode(t, apperr.NotFound, err)
		_, err = w.UpdateUser(t.Context(), mine, theirs.UserID, access.Viewer)
		requireCode(t, apperr.NotFound, err)
		requireCode(t, apperr.NotFound, w.RemoveUser(t.Context(), mine, theirs.UserID))
		requireCode(t, apperr.NotFound, w.EndSessions(t.Context(), mine, theirs.UserID, ""))
		_, err = w.InviteUser(t.Context(), theirs, access.Viewer)
		require.NoError(t, err)
		invites, err := w.Invites(t.Context(), theirs)
		require.NoError(t, err)
		requireCode(t, apperr.NotFound, w.RevokeInvite(t.Context(), mine, invites[0].ID))
		keys, err := w.Keys.List(t.Context(), mine)
		require.NoError(t, err)
		require.Empty(t, keys)

		keys, err = w.Keys.List(t.Context(), theirs)
		require.NoError(t, err)
		require.Equal(t, []keyring.Key{made.Key}, keys, "untouched")
	})
}

func TestActorsThatDoNotExistAreNotFound(t *testing.T) {
	eachStore(t, func(t *testing.T, w world) {
		mine, theirs := w.newOwner(t), w.newOwner(t)
		for _, actor := range []access.Actor{
			{},
			{AccountID: uuid.NewString()},
			{AccountID: "x\x00y"},
			{AccountID: mine.AccountID, UserID: theirs.UserID},
			{AccountID: mine.AccountID, UserID: "x\x00y"},
		} {
			_, err := w.Keys.List(t.Context(), actor)
			requireCode(t, apperr.NotFound, err)
		}
		_, err := w.Keys.Revoke(t.Context(), mine, "x\x00y")
		requireCode(t, apperr.NotFound, err)
		_, err = w.UpdateUser(t.Context(), mine, "x\x00y", access.Viewer)
		requireCode(t, apperr.NotFound, err)
		requireCode(t, apperr.NotFound, w.RemoveUser(t.Context(), mine, "x\x00y"))
		requireCode(t, apperr.NotFound, w.EndSessions(t.Context(), mine, "x\x00y", ""))
		requireCode(t, apperr.NotFound, w.RevokeInvite(t.Context(), mine, "x\x00y"))
		requireCode(t, apperr.NotFound, w.EndSession(t.Context(), mine, "x\x00y"))
	})
}

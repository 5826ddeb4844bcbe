package account

import (
	"context"

	"github.com/signalbox/signalbox/services/keyauth/internal/access"
	"github.com/signalbox/signalbox/services/keyauth/internal/apitoken"
	"github.com/signalbox/signalbox/services/keyauth/internal/keyring"
	"github.com/signalbox/signalbox/services/keyauth/internal/setting"
)

// maxUsers bounds the users of an account, because they are listed without pages.
const maxUsers = 500

// Users lists the users of the account, oldest first.
func (s *Service) Users(ctx context.Context, actor access.Actor) ([]access.User, error) {
	a, err := access.Authorize(ctx, s.store, actor, access.Viewer)
	if err != nil {
		return nil, err
	}
	users, err := s.store.Users(ctx, a.ID)
	return users, access.WrapStore(err)
}

// UpdateUser changes the role of a user. Requires the owner role. A lower role revokes the
// user's API tokens. Error:
// INVALID_REQUEST for the last owner.
func (s *Service) UpdateUser(ctx context.Context, actor access.Actor, id string, role access.Role) (access.User, error) {
	if role.Rank() == 0 {
		return access.User{}, access.InvalidRole()
	}
	var u access.User
	err := s.write(ctx, func(tx Tx) (err error) {
		if _, err := access.Authorize(ctx, tx, actor, access.Owner); err != nil {
			return err
		}
		if u, err = access.FindUser(ctx, tx, access.Actor{AccountID: actor.AccountID, UserID: id}); err != nil || u.Role == role {
			return err
		}
		before := u.AuditFields()
		if err := prepareOwnerLoss(ctx, tx, actor, u); err != nil {
			return err
		}
		if role.Rank() < u.Role.Rank() {
			if err := apitoken.RevokeAll(ctx, tx, actor, u); err != nil {
				return err
			}
		}
		u.Role = role
		if err := tx.SaveUser(ctx, u); err != nil {
			return err
		}
		return access.RecordEvent(ctx, tx, actor, "user.role", u.ID, before, u.AuditFields())
	})
	return u, err
}

// RemoveUser removes a user from the account and ends the user's sessions. Owners
// may remove every user. Users with other roles may remove only themselves. Error:
// INVALID_REQUEST for the last owner.
func (s *Service) RemoveUser(ctx context.Context, actor access.Actor, id string) error {
	need := access.Owner
	if actor.UserID == id {
		need = access.Viewer
	}
	return s.write(ctx, func(tx Tx) error {
		if _, err := access.Authorize(ctx, tx, actor, need); err != nil {
			return err
		}
		u, err := access.FindUser(ctx, tx, access.Actor{AccountID: actor.AccountID, UserID: id})
		if err != nil {
			return err
		}
		if err := prepareOwnerLoss(ctx, tx, actor, u); err != nil {
			return err
		}
		if err := apitoken.RevokeAll(ctx, tx, actor, u); err != nil {
			return err
		}
		// Record the event first, because RecordEvent reads the acting user, who may be
		// the removed user.
		if err := access.RecordEvent(ctx, tx, actor, "user.remove", u.ID, u.AuditFields(), nil); err != nil {
			return err
		}
		if err := keyring.RevokePlayground(ctx, tx, u); err != nil {
			return err
		}
		return access.WrapLookup(tx.RemoveUser(ctx, u.AccountID, u.ID), "user")
	})
}

// prepareOwnerLoss runs before an owner loses the role. It returns an error for the last
// owner. It revokes the owner's open invites. Otherwise the former owner could use an
// invite to become an owner again.
func prepareOwnerLoss(ctx context.Context, tx auditedInvites, actor access.Actor, u access.User) error {
	if u.Role != access.Owner {
		return nil
	}
	users, err := tx.Users(ctx, u.AccountID)
	if err != nil {
		return err
	}
	for _, other := range users {
		if other.Role == access.Owner && other.ID != u.ID {
			return revokeInvitesBy(ctx, tx, actor, u)
		}
	}
	return setting.InvalidParam("user_id", "an account needs at least one owner; make another user an owner first")
}

func revokeInvitesBy(ctx context.Context, tx auditedInvites, actor access.Actor, u access.User) error {
	open, err := tx.Invites(ctx, u.AccountID, access.Now())
	if err != nil {
		return err
	}
	for _, i := range open {
		if i.UserID != u.ID {
			continue
		}
		if err := revokeInvite(ctx, tx, actor, i); err != nil {
			return err
		}
	}
	return nil
}

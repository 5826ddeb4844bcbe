package account

import (
	"context"
	"time"

	"github.com/signalbox/signalbox/services/keyauth/internal/setting"
)

// maxUsers bounds the users of an account, because they are listed without pages.
const maxUsers = 500

// User is a person with access to an account.
type User struct {
	ID        string
	AccountID string
	Email     string
	Role      Role
	// PasswordHash is a PHC string; empty while a reset is pending.
	PasswordHash string
	CreatedAt    time.Time
}

// UserReader reads users.
type UserReader interface {
	User(ctx context.Context, accountID, id string) (User, error)
	UserByEmail(ctx context.Context, email string) (User, error)
	// Users lists the users of an account, oldest first.
	Users(ctx context.Context, accountID string) ([]User, error)
}

// UserWriter reads and changes users.
type UserWriter interface {
	UserReader
	SaveUser(ctx context.Context, u User) error
	// RemoveUser also deletes the user's sessions, password reset, API tokens and identities. It returns
	// ErrNoRow if the account has no such user.
	RemoveUser(ctx context.Context, accountID, id string) error
}

// Users lists the users of the account, oldest first.
func (s *Service) Users(ctx context.Context, actor Actor) ([]User, error) {
	a, err := authorize(ctx, s.store, actor, Viewer)
	if err != nil {
		return nil, err
	}
	users, err := s.store.Users(ctx, a.ID)
	return users, wrapStoreError(err)
}

// UpdateUser changes the role of a user. Requires the owner role. A lower role revokes the
// user's API tokens. Error:
// INVALID_REQUEST for the last owner.
func (s *Service) UpdateUser(ctx context.Context, actor Actor, id string, role Role) (User, error) {
	if role.rank() == 0 {
		return User{}, invalidRoleError()
	}
	var u User
	err := s.write(ctx, func(tx Tx) (err error) {
		if _, err := authorize(ctx, tx, actor, Owner); err != nil {
			return err
		}
		if u, err = findUser(ctx, tx, Actor{AccountID: actor.AccountID, UserID: id}); err != nil || u.Role == role {
			return err
		}
		before := u.auditFields()
		if err := prepareOwnerLoss(ctx, tx, actor, u); err != nil {
			return err
		}
		if role.rank() < u.Role.rank() {
			if err := revokeAPITokensOf(ctx, tx, actor, u); err != nil {
				return err
			}
		}
		u.Role = role
		if err := tx.SaveUser(ctx, u); err != nil {
			return err
		}
		return recordEvent(ctx, tx, actor, "user.role", u.ID, before, u.auditFields())
	})
	return u, err
}

// RemoveUser removes a user from the account and ends the user's sessions. Owners
// may remove every user. Users with other roles may remove only themselves. Error:
// INVALID_REQUEST for the last owner.
func (s *Service) RemoveUser(ctx context.Context, actor Actor, id string) error {
	need := Owner
	if actor.UserID == id {
		need = Viewer
	}
	return s.write(ctx, func(tx Tx) error {
		if _, err := authorize(ctx, tx, actor, need); err != nil {
			return err
		}
		u, err := findUser(ctx, tx, Actor{AccountID: actor.AccountID, UserID: id})
		if err != nil {
			return err
		}
		if err := prepareOwnerLoss(ctx, tx, actor, u); err != nil {
			return err
		}
		if err := revokeAPITokensOf(ctx, tx, actor, u); err != nil {
			return err
		}
		// Record the event first, because recordEvent reads the acting user, who may be
		// the removed user.
		if err := recordEvent(ctx, tx, actor, "user.remove", u.ID, u.auditFields(), nil); err != nil {
			return err
		}
		if err := revokePlaygroundKey(ctx, tx, u); err != nil {
			return err
		}
		return wrapLookupError(tx.RemoveUser(ctx, u.AccountID, u.ID), "user")
	})
}

// prepareOwnerLoss runs before an owner loses the role. It returns an error for the last
// owner. It revokes the owner's open invites. Otherwise the former owner could use an
// invite to become an owner again.
func prepareOwnerLoss(ctx context.Context, tx auditedInvites, actor Actor, u User) error {
	if u.Role != Owner {
		return nil
	}
	users, err := tx.Users(ctx, u.AccountID)
	if err != nil {
		return err
	}
	for _, other := range users {
		if other.Role == Owner && other.ID != u.ID {
			return revokeInvitesBy(ctx, tx, actor, u)
		}
	}
	return setting.InvalidParam("user_id", "an account needs at least one owner; make another user an owner first")
}

func revokeInvitesBy(ctx context.Context, tx auditedInvites, actor Actor, u User) error {
	open, err := tx.Invites(ctx, u.AccountID, now())
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

func invalidRoleError() error {
	return setting.InvalidParam("role", "the role must be viewer, member or owner")
}

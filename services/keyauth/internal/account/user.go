package account

import (
	"context"
	"time"
)

// maxUsers is how many people an account has: they are listed at once.
const maxUsers = 500

// User is a person of an account.
type User struct {
	ID        string
	AccountID string
	Email     string
	Role      Role
	// PasswordHash is a PHC string; empty while a reset is pending.
	PasswordHash string
	CreatedAt    time.Time
}

// Users lists the people of the account, oldest first.
func (s *Service) Users(ctx context.Context, actor Actor) ([]User, error) {
	a, err := authorize(ctx, s.store, actor, Viewer)
	if err != nil {
		return nil, err
	}
	users, err := s.store.Users(ctx, a.ID)
	return users, storeError(err)
}

// UpdateUser gives a person another role. Owners alone. Error: INVALID_REQUEST
// for the last owner.
func (s *Service) UpdateUser(ctx context.Context, actor Actor, id string, role Role) (User, error) {
	if role.rank() == 0 {
		return User{}, badRole()
	}
	var u User
	err := s.write(ctx, func(tx Tx) (err error) {
		if _, err := authorize(ctx, tx, actor, Owner); err != nil {
			return err
		}
		if u, err = userOf(ctx, tx, Actor{AccountID: actor.AccountID, UserID: id}); err != nil || u.Role == role {
			return err
		}
		before := u.members()
		if err := loseOwner(ctx, tx, actor, u); err != nil {
			return err
		}
		u.Role = role
		if err := tx.SaveUser(ctx, u); err != nil {
			return err
		}
		return note(ctx, tx, actor, "user.role", u.ID, before, u.members())
	})
	return u, err
}

// RemoveUser takes a person out of the account and ends the sessions. Owners,
// and everybody for themselves. Error: INVALID_REQUEST for the last owner.
func (s *Service) RemoveUser(ctx context.Context, actor Actor, id string) error {
	need := Owner
	if actor.UserID == id {
		need = Viewer
	}
	return s.write(ctx, func(tx Tx) error {
		if _, err := authorize(ctx, tx, actor, need); err != nil {
			return err
		}
		u, err := userOf(ctx, tx, Actor{AccountID: actor.AccountID, UserID: id})
		if err != nil {
			return err
		}
		if err := loseOwner(ctx, tx, actor, u); err != nil {
			return err
		}
		// Noted first: whoever leaves by themselves is known only until then.
		if err := note(ctx, tx, actor, "user.remove", u.ID, u.members(), nil); err != nil {
			return err
		}
		return found(tx.RemoveUser(ctx, u.AccountID, u.ID), "user")
	})
}

// loseOwner is asked before an owner becomes less. Their invites end, or they
// could come back by one.
func loseOwner(ctx context.Context, tx Tx, actor Actor, u User) error {
	if u.Role != Owner {
		return nil
	}
	users, err := tx.Users(ctx, u.AccountID)
	if err != nil {
		return err
	}
	for _, other := range users {
		if other.Role == Owner && other.ID != u.ID {
			return endInvitesBy(ctx, tx, actor, u)
		}
	}
	return invalid("user_id", "the last owner of an account stays one; make somebody else an owner first")
}

func endInvitesBy(ctx context.Context, tx Tx, actor Actor, u User) error {
	open, err := tx.Invites(ctx, u.AccountID, now())
	if err != nil {
		return err
	}
	for _, i := range open {
		if i.UserID != u.ID {
			continue
		}
		if err := endInvite(ctx, tx, actor, i); err != nil {
			return err
		}
	}
	return nil
}

func badRole() error { return invalid("role", "a role is one of viewer, member, owner") }

package account

import (
	"context"
	"time"

	"github.com/signalbox/signalbox/pkg/apperr"
)

const (
	// inviteLife is how long an invite waits to be accepted.
	inviteLife = 7 * 24 * time.Hour
	// maxInvites is how many of an account wait at a time.
	maxInvites = 100
)

// Invite lets one person become a user.
type Invite struct {
	ID string
	// Hash is all that is kept of the token.
	Hash []byte
	// AccountID is the account it was made in, which the person joins unless
	// NewAccount.
	AccountID  string
	NewAccount bool
	Role       Role
	// UserID is who made it; empty for the operator's command line.
	UserID    string
	CreatedAt time.Time
	ExpiresAt time.Time
}

// NewInvite is a one-time token, which is nowhere else.
type NewInvite struct {
	// ID is that of the invite; empty for a reset.
	ID        string
	Token     string
	ExpiresAt time.Time
}

// InviteUser invites a person into the actor's account. Owners alone.
func (s *Service) InviteUser(ctx context.Context, actor Actor, role Role) (NewInvite, error) {
	if role.rank() == 0 {
		return NewInvite{}, badRole()
	}
	return s.invite(ctx, actor, Invite{Role: role})
}

// InviteAccount invites a person to make an account. Owners of the operator's
// account alone. Error: REGISTRATION_CLOSED.
func (s *Service) InviteAccount(ctx context.Context, actor Actor) (NewInvite, error) {
	if s.registration == RegistrationClosed {
		return NewInvite{}, registrationOff("no new accounts are made here")
	}
	return s.invite(ctx, actor, Invite{Role: Owner, NewAccount: true})
}

func (s *Service) invite(ctx context.Context, actor Actor, i Invite) (NewInvite, error) {
	token := newToken()
	i.ID, i.Hash, i.AccountID, i.UserID = newID(), hashToken(token), actor.AccountID, actor.UserID
	i.CreatedAt = now()
	i.ExpiresAt = i.CreatedAt.Add(inviteLife)
	err := s.write(ctx, func(tx Tx) error {
		a, err := authorize(ctx, tx, actor, Owner)
		if err != nil {
			return err
		}
		if i.NewAccount && !a.Operator {
			return apperr.New(apperr.AuthForbidden, "the operator alone may invite new accounts")
		}
		if err := roomForInvite(ctx, tx, a.ID); err != nil {
			return err
		}
		if err := tx.SaveInvite(ctx, i); err != nil {
			return err
		}
		return note(ctx, tx, actor, "invite.create", i.ID, nil, i.members())
	})
	return NewInvite{ID: i.ID, Token: token, ExpiresAt: i.ExpiresAt}, err
}

func roomForInvite(ctx context.Context, tx Tx, accountID string) error {
	if err := tx.EndStaleInvites(ctx, accountID, now()); err != nil {
		return err
	}
	open, err := tx.Invites(ctx, accountID, now())
	if err != nil {
		return err
	}
	if len(open) >= maxInvites {
		return apperr.New(apperr.InvalidRequest, "an account has at most 100 open invites; end one that is not needed").
			With("limit", maxInvites)
	}
	return nil
}

// Invites lists those that can still be accepted, newest first. Owners alone.
func (s *Service) Invites(ctx context.Context, actor Actor) ([]Invite, error) {
	a, err := authorize(ctx, s.store, actor, Owner)
	if err != nil {
		return nil, err
	}
	all, err := s.store.Invites(ctx, a.ID, now())
	return all, storeError(err)
}

// RevokeInvite ends an invite. Owners alone.
func (s *Service) RevokeInvite(ctx context.Context, actor Actor, id string) error {
	return s.write(ctx, func(tx Tx) error {
		a, err := authorize(ctx, tx, actor, Owner)
		if err != nil {
			return err
		}
		open, err := tx.Invites(ctx, a.ID, now())
		if err != nil {
			return err
		}
		for _, i := range open {
			if i.ID == id {
				return endInvite(ctx, tx, actor, i)
			}
		}
		return notFound("invite")
	})
}

func endInvite(ctx context.Context, tx Tx, actor Actor, i Invite) error {
	if err := tx.EndInvite(ctx, i.AccountID, i.ID); err != nil {
		return err
	}
	return note(ctx, tx, actor, "invite.revoke", i.ID, i.members(), nil)
}

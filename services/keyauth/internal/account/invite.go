package account

import (
	"context"
	"errors"
	"time"

	"github.com/signalbox/signalbox/pkg/apperr"
)

// inviteLife is how long an invite waits to be accepted.
const inviteLife = 7 * 24 * time.Hour

// Invite lets one person become a user.
type Invite struct {
	// Hash is all that is kept of the token.
	Hash []byte
	// AccountID is what the person joins; empty makes a new account.
	AccountID string
	Role      Role
	CreatedAt time.Time
	ExpiresAt time.Time
}

// NewInvite is an invite with its token, which is nowhere else.
type NewInvite struct {
	Token     string
	ExpiresAt time.Time
}

// InviteUser invites a person into the actor's account. Owners alone.
func (s *Service) InviteUser(ctx context.Context, actor Actor, role Role) (NewInvite, error) {
	if role.rank() == 0 {
		return NewInvite{}, invalid("role", "a role is one of viewer, member, owner")
	}
	return s.invite(ctx, actor, func(a Account) (Invite, error) {
		return Invite{AccountID: a.ID, Role: role}, nil
	})
}

// InviteAccount invites a person to make an account. Owners of the operator's
// account alone. Error: REGISTRATION_CLOSED.
func (s *Service) InviteAccount(ctx context.Context, actor Actor) (NewInvite, error) {
	if s.registration == RegistrationClosed {
		return NewInvite{}, registrationOff("no new accounts are made here")
	}
	return s.invite(ctx, actor, func(a Account) (Invite, error) {
		if !a.Operator {
			return Invite{}, apperr.New(apperr.AuthForbidden, "the operator alone may invite new accounts")
		}
		return Invite{Role: Owner}, nil
	})
}

func (s *Service) invite(ctx context.Context, actor Actor, what func(Account) (Invite, error)) (NewInvite, error) {
	token, at := newToken(), now()
	expires := at.Add(inviteLife)
	err := s.write(ctx, func(tx Tx) error {
		a, err := authorize(ctx, tx, actor, Owner)
		if err != nil {
			return err
		}
		i, err := what(a)
		if err != nil {
			return err
		}
		i.Hash, i.CreatedAt, i.ExpiresAt = hashToken(token), at, expires
		return tx.SaveInvite(ctx, i)
	})
	return NewInvite{Token: token, ExpiresAt: expires}, err
}

// AcceptInvite spends an invite, makes the user and signs them in. The name is
// that of the new account, if the invite makes one. Errors: TOKEN_INVALID for
// an invite that is unknown, spent or over; EMAIL_TAKEN.
func (s *Service) AcceptInvite(ctx context.Context, token string, p Person, name string) (SignIn, error) {
	// Asked before the password is hashed, so that guessing costs us little.
	i, err := s.openInvite(ctx, s.store, token)
	if err != nil {
		return SignIn{}, err
	}
	u, err := s.newUser(ctx, p, i.Role)
	if err != nil {
		return SignIn{}, err
	}
	var in SignIn
	err = s.write(ctx, func(tx Tx) (err error) {
		if i, err = s.openInvite(ctx, tx, token); err != nil {
			return err
		}
		if err := tx.SpendInvite(ctx, i.Hash); err != nil {
			return err
		}
		in, err = accept(ctx, tx, i, u, name, p.Client)
		return err
	})
	return in, err
}

func (s *Service) openInvite(ctx context.Context, rows Rows, token string) (Invite, error) {
	i, err := rows.Invite(ctx, hashToken(token))
	if errors.Is(err, ErrNone) {
		return Invite{}, tokenInvalid()
	}
	if err != nil {
		return Invite{}, storeError(err)
	}
	if !now().Before(i.ExpiresAt) {
		return Invite{}, tokenInvalid()
	}
	if i.AccountID == "" && s.registration == RegistrationClosed {
		return Invite{}, registrationOff("no new accounts are made here")
	}
	return i, nil
}

func accept(ctx context.Context, tx Tx, i Invite, u User, name, client string) (SignIn, error) {
	if i.AccountID == "" {
		return foundAccount(ctx, tx, u, name, client)
	}
	a, err := tx.Account(ctx, i.AccountID)
	if err != nil {
		return SignIn{}, err
	}
	return join(ctx, tx, a, u, client)
}

func tokenInvalid() error {
	return apperr.New(apperr.TokenInvalid, "this link is not valid, or was already used")
}

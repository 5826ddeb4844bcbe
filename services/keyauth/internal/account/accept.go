package account

import (
	"context"
	"errors"

	"github.com/signalbox/signalbox/pkg/apperr"
)

// AcceptInvite spends an invite, makes the user and signs them in. The name is
// that of the new account, if the invite makes one. Errors: TOKEN_INVALID for
// an invite that is unknown, spent or over; EMAIL_TAKEN; TOO_MANY_ATTEMPTS.
func (s *Service) AcceptInvite(ctx context.Context, token string, p Person, name string) (SignIn, error) {
	var in SignIn
	err := s.throttle.guess("", addressOf(p.Client), func(l lane) error {
		// Asked before the password is hashed, so that guessing costs us little.
		i, err := s.openInvite(ctx, s.store, token)
		if err != nil {
			return err
		}
		u, err := s.newUser(ctx, l, p, i.Role)
		if err != nil {
			return err
		}
		return s.write(ctx, func(tx Tx) (err error) {
			if i, err = s.openInvite(ctx, tx, token); err != nil {
				return err
			}
			if err := tx.EndInvite(ctx, i.AccountID, i.ID); err != nil {
				return err
			}
			in, err = s.accept(ctx, tx, i, u, name, p.Client)
			return err
		})
	})
	return s.cameIn(in, p.Client, err)
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
	if i.NewAccount && s.registration == RegistrationClosed {
		return Invite{}, registrationOff("no new accounts are made here")
	}
	return i, nil
}

func (s *Service) accept(ctx context.Context, tx Tx, i Invite, u User, name, client string) (SignIn, error) {
	if i.NewAccount {
		err := note(ctx, tx, Actor{AccountID: i.AccountID}, "invite.accept", i.ID, nil, members{"email": u.Email})
		if err != nil {
			return SignIn{}, err
		}
		return s.foundAccount(ctx, tx, u, name, client)
	}
	a, err := tx.Account(ctx, i.AccountID)
	if err != nil {
		return SignIn{}, err
	}
	users, err := tx.Users(ctx, a.ID)
	if err != nil {
		return SignIn{}, err
	}
	if len(users) >= maxUsers {
		return SignIn{}, apperr.New(apperr.InvalidRequest, "the account has as many people as it may").With("limit", maxUsers)
	}
	return join(ctx, tx, a, u, "invite.accept", i.ID, client)
}

func tokenInvalid() error {
	return apperr.New(apperr.TokenInvalid, "this link is not valid, or was already used")
}

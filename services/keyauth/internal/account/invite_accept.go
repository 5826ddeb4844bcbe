package account

import (
	"context"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/services/keyauth/internal/access"
	"github.com/signalbox/signalbox/services/keyauth/internal/audit"
	"github.com/signalbox/signalbox/services/keyauth/internal/signinguard"
)

// AcceptInvite redeems an invite, creates the user and signs the user in. If the
// invite is for a new account, name is the name of this account. Errors:
// TOKEN_INVALID if the invite is unknown, used or expired; REGISTRATION_CLOSED;
// EMAIL_TAKEN; TOO_MANY_ATTEMPTS; INVALID_REQUEST if the e-mail address, the password
// or name is invalid, or if the account has reached its limit of users.
func (s *Service) AcceptInvite(ctx context.Context, token string, req SignInRequest, name string) (access.SignIn, error) {
	if err := s.checkPasswordUsers(); err != nil {
		return access.SignIn{}, err
	}
	var in access.SignIn
	err := s.runWithToken(req.Password, req.Client, func(r signinguard.Requester) error {
		// Check the token first, because hashing the password is expensive.
		i, err := s.findOpenInvite(ctx, s.store, token)
		if err != nil {
			return err
		}
		u, err := s.newUser(ctx, r, req, i.Role)
		if err != nil {
			return err
		}
		return s.write(ctx, func(tx Tx) (err error) {
			if i, err = s.findOpenInvite(ctx, tx, token); err != nil {
				return err
			}
			if err := tx.EndInvite(ctx, i.AccountID, i.ID); err != nil {
				return err
			}
			in, err = s.completeInvite(ctx, tx, i, u, name, req.Client)
			return err
		})
	})
	return s.rememberSignIn(in, req.Client, err)
}

func (s *Service) findOpenInvite(ctx context.Context, rows InviteReader, token string) (Invite, error) {
	i, err := rows.Invite(ctx, access.HashToken(token))
	if err != nil {
		return Invite{}, access.ReplaceNoRow(err, invalidTokenError())
	}
	if !access.Now().Before(i.ExpiresAt) {
		return Invite{}, invalidTokenError()
	}
	if i.NewAccount && s.registration == RegistrationClosed {
		return Invite{}, registrationError("this installation does not accept new accounts")
	}
	return i, nil
}

func (s *Service) completeInvite(ctx context.Context, tx Tx, i Invite, u access.User, name, client string) (access.SignIn, error) {
	if i.NewAccount {
		err := access.RecordEvent(ctx, tx, access.Actor{AccountID: i.AccountID}, "invite.accept", i.ID, nil, audit.Fields{"email": u.Email})
		if err != nil {
			return access.SignIn{}, err
		}
		return s.createAccount(ctx, tx, u, name, client)
	}
	a, err := tx.Account(ctx, i.AccountID)
	if err != nil {
		return access.SignIn{}, err
	}
	if err := checkUserLimit(ctx, tx, a); err != nil {
		return access.SignIn{}, err
	}
	return addUserAndSignIn(ctx, tx, a, u, "invite.accept", i.ID, client)
}

func checkUserLimit(ctx context.Context, rows access.UserReader, a access.Account) error {
	users, err := rows.Users(ctx, a.ID)
	if err == nil && len(users) >= maxUsers {
		return apperr.New(apperr.InvalidRequest, "the account has reached its limit of 500 users").With("limit", maxUsers)
	}
	return err
}

func invalidTokenError() error {
	return apperr.New(apperr.TokenInvalid, "this link is invalid, has expired or was already used")
}

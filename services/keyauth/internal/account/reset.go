package account

import (
	"context"
	"time"

	"github.com/signalbox/signalbox/services/keyauth/internal/signinguard"

	"github.com/signalbox/signalbox/services/keyauth/internal/access"
	"github.com/signalbox/signalbox/services/keyauth/internal/apitoken"
	"github.com/signalbox/signalbox/services/keyauth/internal/setting"
)

// resetLifetime is how long a reset token is valid.
const resetLifetime = 24 * time.Hour

// Reset allows a user to set a new password.
type Reset struct {
	// Hash is the hash of the token. The token itself is not stored.
	Hash      []byte
	AccountID string
	UserID    string
	ExpiresAt time.Time
}

// ResetReader reads password resets.
type ResetReader interface {
	// Reset finds a password reset by the hash of its token.
	Reset(ctx context.Context, hash []byte) (Reset, error)
}

// ResetWriter reads and changes password resets.
type ResetWriter interface {
	ResetReader
	// SaveReset replaces an earlier reset of the same user.
	SaveReset(ctx context.Context, r Reset) error
	DeleteReset(ctx context.Context, accountID, userID string) error
}

// ResetPassword deletes a user's password, sessions and API tokens, and returns a token with which
// the user can set a new password. Only the operator may call it; grpcapi.AllowedRoles
// enforces this.
func (s *Service) ResetPassword(ctx context.Context, email string) (OneTimeToken, error) {
	email, err := setting.NormalizeEmail(email)
	if err != nil {
		return OneTimeToken{}, err
	}
	made := OneTimeToken{Token: access.NewToken(), ExpiresAt: access.Now().Add(resetLifetime)}
	err = s.write(ctx, func(tx Tx) error {
		u, err := tx.UserByEmail(ctx, email)
		if err != nil {
			return access.WrapLookup(err, "user")
		}
		if err := setPassword(ctx, tx, u, ""); err != nil {
			return err
		}
		if err := apitoken.RevokeAll(ctx, tx, access.Actor{AccountID: u.AccountID}, u); err != nil {
			return err
		}
		r := Reset{Hash: access.HashToken(made.Token), AccountID: u.AccountID, UserID: u.ID, ExpiresAt: made.ExpiresAt}
		if err := tx.SaveReset(ctx, r); err != nil {
			return err
		}
		return access.RecordEvent(ctx, tx, access.Actor{AccountID: u.AccountID}, "password.reset", u.ID, nil, nil)
	})
	return made, err
}

// SetPassword saves a new password and signs the user in. The reset token becomes
// invalid. Errors: TOKEN_INVALID if the token is unknown, used or expired;
// INVALID_REQUEST for an invalid password; TOO_MANY_ATTEMPTS.
func (s *Service) SetPassword(ctx context.Context, token, password, client string) (access.SignIn, error) {
	var in access.SignIn
	err := s.runWithToken(password, client, func(r signinguard.Requester) error {
		// Check the token first, because hashing the password is expensive.
		if _, err := findOpenReset(ctx, s.store, token); err != nil {
			return err
		}
		if err := setting.ValidatePassword(password); err != nil {
			return err
		}
		hash, err := s.hasher.Hash(ctx, r, password)
		if err != nil {
			return err
		}
		return s.write(ctx, func(tx Tx) (err error) {
			in, err = s.redeemReset(ctx, tx, token, hash, client)
			return err
		})
	})
	return s.rememberSignIn(in, client, err)
}

func (s *Service) redeemReset(ctx context.Context, tx Tx, token, hash, client string) (access.SignIn, error) {
	r, err := findOpenReset(ctx, tx, token)
	if err != nil {
		return access.SignIn{}, err
	}
	actor := access.Actor{AccountID: r.AccountID, UserID: r.UserID}
	u, err := access.FindUser(ctx, tx, actor)
	if err != nil {
		return access.SignIn{}, err
	}
	a, err := tx.Account(ctx, u.AccountID)
	if err != nil {
		return access.SignIn{}, err
	}
	if !s.allowsPassword(a, u) {
		return access.SignIn{}, invalidTokenError()
	}
	if err := setPassword(ctx, tx, u, hash); err != nil {
		return access.SignIn{}, err
	}
	if err := access.RecordEvent(ctx, tx, actor, "password.set", u.ID, nil, nil); err != nil {
		return access.SignIn{}, err
	}
	return signIn(ctx, tx, a, u, client)
}

func findOpenReset(ctx context.Context, rows ResetReader, token string) (Reset, error) {
	r, err := rows.Reset(ctx, access.HashToken(token))
	if err != nil {
		return Reset{}, access.ReplaceNoRow(err, invalidTokenError())
	}
	if !access.Now().Before(r.ExpiresAt) {
		return Reset{}, invalidTokenError()
	}
	return r, nil
}

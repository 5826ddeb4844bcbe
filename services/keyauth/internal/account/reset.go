package account

import (
	"context"
	"errors"
	"time"
)

// resetLife is how long a person has to set a new password.
const resetLife = 24 * time.Hour

// Reset lets a person set a new password.
type Reset struct {
	// Hash is all that is kept of the token.
	Hash      []byte
	AccountID string
	UserID    string
	ExpiresAt time.Time
}

// ResetPassword is the operator's: it ends a person's sessions and old
// password, and makes the token with which a new one can be set.
func (s *Service) ResetPassword(ctx context.Context, email string) (NewInvite, error) {
	email, err := normalEmail(email)
	if err != nil {
		return NewInvite{}, err
	}
	made := NewInvite{Token: newToken(), ExpiresAt: now().Add(resetLife)}
	err = s.write(ctx, func(tx Tx) error {
		u, err := tx.UserByEmail(ctx, email)
		if err != nil {
			return found(err, "user")
		}
		if err := setPassword(ctx, tx, u, ""); err != nil {
			return err
		}
		r := Reset{Hash: hashToken(made.Token), AccountID: u.AccountID, UserID: u.ID, ExpiresAt: made.ExpiresAt}
		if err := tx.SaveReset(ctx, r); err != nil {
			return err
		}
		return note(ctx, tx, Actor{AccountID: u.AccountID}, "password.reset", u.ID, nil, nil)
	})
	return made, err
}

// SetPassword spends the token of a reset and signs in. Errors: TOKEN_INVALID
// for one that is unknown, spent or over; TOO_MANY_ATTEMPTS.
func (s *Service) SetPassword(ctx context.Context, token, password, client string) (SignIn, error) {
	var in SignIn
	err := s.throttle.guess("", addressOf(client), func(l lane) error {
		// Asked before the password is hashed, so that guessing costs us little.
		if _, err := openReset(ctx, s.store, token); err != nil {
			return err
		}
		if err := checkPassword(password); err != nil {
			return err
		}
		hash, err := s.hasher.hash(ctx, l, password)
		if err != nil {
			return err
		}
		return s.write(ctx, func(tx Tx) (err error) {
			in, err = spendReset(ctx, tx, token, hash, client)
			return err
		})
	})
	return s.cameIn(in, client, err)
}

func spendReset(ctx context.Context, tx Tx, token, hash, client string) (SignIn, error) {
	r, err := openReset(ctx, tx, token)
	if err != nil {
		return SignIn{}, err
	}
	actor := Actor{AccountID: r.AccountID, UserID: r.UserID}
	u, err := userOf(ctx, tx, actor)
	if err != nil {
		return SignIn{}, err
	}
	if err := setPassword(ctx, tx, u, hash); err != nil {
		return SignIn{}, err
	}
	if err := note(ctx, tx, actor, "password.set", u.ID, nil, nil); err != nil {
		return SignIn{}, err
	}
	a, err := tx.Account(ctx, u.AccountID)
	if err != nil {
		return SignIn{}, err
	}
	return signIn(ctx, tx, a, u, client)
}

func openReset(ctx context.Context, rows Rows, token string) (Reset, error) {
	r, err := rows.Reset(ctx, hashToken(token))
	if errors.Is(err, ErrNone) {
		return Reset{}, tokenInvalid()
	}
	if err != nil {
		return Reset{}, storeError(err)
	}
	if !now().Before(r.ExpiresAt) {
		return Reset{}, tokenInvalid()
	}
	return r, nil
}

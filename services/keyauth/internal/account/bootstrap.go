package account

import (
	"cmp"
	"context"
	"crypto/subtle"
	"errors"

	"github.com/signalbox/signalbox/services/keyauth/internal/signinguard"

	"github.com/signalbox/signalbox/services/keyauth/internal/access"
	"github.com/signalbox/signalbox/services/keyauth/internal/keyring"
	"github.com/signalbox/signalbox/services/keyauth/internal/setting"
)

// defaultOperatorName is the name of the operator's account if the caller gives none.
const defaultOperatorName = "Operator"

// BootstrapResult holds the secrets for the operator. They are shown only once.
type BootstrapResult struct {
	// Created is true if this call created the operator's account.
	Created bool
	// ClaimToken is the one-time token with which the operator creates the first
	// login. It is empty if the account was already claimed. Until then, every call
	// creates a new token, because the store holds only a hash.
	ClaimToken string
	// Key is the first API key. It is set only if Created is true.
	Key string
}

// Bootstrap creates the operator's account and a first key if the store has no
// operator's account. If the account exists but is unclaimed, Bootstrap only
// replaces the claim token. If the account was claimed, Bootstrap changes nothing.
func (s *Service) Bootstrap(ctx context.Context, name string) (BootstrapResult, error) {
	var b BootstrapResult
	err := s.write(ctx, func(tx Tx) error {
		b = BootstrapResult{}
		a, err := tx.Operator(ctx)
		switch {
		case errors.Is(err, access.ErrNoRow):
			return s.createOperator(ctx, tx, name, &b)
		case err != nil || !a.IsUnclaimed():
			return err
		}
		b.ClaimToken = access.NewToken()
		a.ClaimHash = access.HashToken(b.ClaimToken)
		if err := tx.SaveAccount(ctx, a); err != nil {
			return err
		}
		return access.RecordEvent(ctx, tx, access.Actor{AccountID: a.ID}, "account.renew_claim", a.ID, nil, nil)
	})
	return b, err
}

func (s *Service) createOperator(ctx context.Context, tx Tx, name string, b *BootstrapResult) error {
	name = cmp.Or(name, defaultOperatorName)
	b.Created, b.ClaimToken = true, access.NewToken()
	a := access.Account{ID: access.NewID(), Name: name, Operator: true, CreatedAt: access.Now(), ClaimHash: access.HashToken(b.ClaimToken)}
	if err := a.Validate(); err != nil {
		return err
	}
	if err := tx.SaveAccount(ctx, a); err != nil {
		return err
	}
	actor := access.Actor{AccountID: a.ID}
	if err := access.RecordEvent(ctx, tx, actor, actionAccountCreate, a.ID, nil, a.AuditFields()); err != nil {
		return err
	}
	first := s.Keys.New(a.ID, setting.Key{Name: "first key"})
	b.Key = first.Secret
	return keyring.SaveNew(ctx, tx, actor, first.Key)
}

// Claim creates the owner of the operator's account and signs this user in. token
// is the claim token and becomes invalid. Errors: TOKEN_INVALID, INVALID_REQUEST,
// EMAIL_TAKEN, TOO_MANY_ATTEMPTS.
func (s *Service) Claim(ctx context.Context, token string, req SignInRequest) (access.SignIn, error) {
	var in access.SignIn
	err := s.runWithToken(req.Password, req.Client, func(r signinguard.Requester) error {
		// Check the token first, because hashing the password is expensive.
		if _, err := findClaimableAccount(ctx, s.store, token); err != nil {
			return err
		}
		u, err := s.newUser(ctx, r, req, access.Owner)
		if err != nil {
			return err
		}
		return s.write(ctx, func(tx Tx) error {
			a, err := findClaimableAccount(ctx, tx, token)
			if err != nil {
				return err
			}
			a.ClaimHash = nil
			if err := tx.SaveAccount(ctx, a); err != nil {
				return err
			}
			in, err = addUserAndSignIn(ctx, tx, a, u, "account.claim", a.ID, req.Client)
			return err
		})
	})
	return s.rememberSignIn(in, req.Client, err)
}

func findClaimableAccount(ctx context.Context, rows access.AccountReader, token string) (access.Account, error) {
	a, err := rows.Operator(ctx)
	if err != nil && !errors.Is(err, access.ErrNoRow) {
		return access.Account{}, access.WrapStore(err)
	}
	if subtle.ConstantTimeCompare(a.ClaimHash, access.HashToken(token)) != 1 {
		return access.Account{}, invalidTokenError()
	}
	return a, nil
}

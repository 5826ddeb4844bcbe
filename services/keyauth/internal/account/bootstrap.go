package account

import (
	"context"
	"crypto/subtle"
	"errors"
)

// defaultOperatorName is the operator's account before anybody named it.
const defaultOperatorName = "Operator"

// Bootstrapped is what is shown once, to whoever starts the installation.
type Bootstrapped struct {
	// Created is whether this call made the operator's account.
	Created bool
	// ClaimToken claims the account; empty once it is claimed. Every call
	// makes a new one in place of the old, for only a hash is kept.
	ClaimToken string
	// Key is a first key; only when Created.
	Key string
}

// Bootstrap makes the operator's account on a store without one.
func (s *Service) Bootstrap(ctx context.Context, name string) (Bootstrapped, error) {
	var b Bootstrapped
	err := s.write(ctx, func(tx Tx) error {
		b = Bootstrapped{}
		a, err := tx.Operator(ctx)
		switch {
		case errors.Is(err, ErrNone):
			return s.createOperator(ctx, tx, name, &b)
		case err != nil || !a.Unclaimed():
			return err
		}
		b.ClaimToken = newToken()
		a.Claim = hashToken(b.ClaimToken)
		if err := tx.SaveAccount(ctx, a); err != nil {
			return err
		}
		return note(ctx, tx, Actor{AccountID: a.ID}, "account.renew_claim", a.ID, nil, nil)
	})
	return b, err
}

func (s *Service) createOperator(ctx context.Context, tx Tx, name string, b *Bootstrapped) error {
	if name == "" {
		name = defaultOperatorName
	}
	b.Created, b.ClaimToken = true, newToken()
	a := Account{ID: newID(), Name: name, Operator: true, CreatedAt: now(), Claim: hashToken(b.ClaimToken)}
	if err := a.check(); err != nil {
		return err
	}
	if err := tx.SaveAccount(ctx, a); err != nil {
		return err
	}
	actor := Actor{AccountID: a.ID}
	if err := note(ctx, tx, actor, accountMade, a.ID, nil, a.members()); err != nil {
		return err
	}
	first := s.newKey(a.ID, KeySettings{Name: "first key"})
	b.Key = first.Secret
	return saveNewKey(ctx, tx, actor, first.Key)
}

// Claim spends the claim token: it makes the operator's account that of a
// person and signs them in. Errors: TOKEN_INVALID, EMAIL_TAKEN,
// TOO_MANY_ATTEMPTS.
func (s *Service) Claim(ctx context.Context, token string, p Person) (SignIn, error) {
	var in SignIn
	err := s.throttle.guess("", addressOf(p.Client), func(l lane) error {
		// Asked before the password is hashed, so that guessing costs us little.
		if _, err := claimable(ctx, s.store, token); err != nil {
			return err
		}
		u, err := s.newUser(ctx, l, p, Owner)
		if err != nil {
			return err
		}
		return s.write(ctx, func(tx Tx) error {
			a, err := claimable(ctx, tx, token)
			if err != nil {
				return err
			}
			a.Claim = nil
			if err := tx.SaveAccount(ctx, a); err != nil {
				return err
			}
			in, err = join(ctx, tx, a, u, "account.claim", a.ID, p.Client)
			return err
		})
	})
	return s.cameIn(in, p.Client, err)
}

func claimable(ctx context.Context, rows Rows, token string) (Account, error) {
	a, err := rows.Operator(ctx)
	if err != nil && !errors.Is(err, ErrNone) {
		return Account{}, storeError(err)
	}
	if subtle.ConstantTimeCompare(a.Claim, hashToken(token)) != 1 {
		return Account{}, tokenInvalid()
	}
	return a, nil
}

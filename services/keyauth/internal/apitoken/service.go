package apitoken

import (
	"context"
	"slices"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/services/keyauth/internal/access"
)

// Store reads tokens and the people they belong to.
type Store interface {
	Reader
	access.MemberReader
}

// Tx is a transaction that changes tokens and records the changes.
type Tx interface {
	Writer
	access.AccountReader
	access.EventWriter
}

// Service implements the operations on tokens. All fields are required. It is safe for concurrent
// use.
type Service struct {
	Store Store
	// Write runs f in one transaction. If it returns nil, the changes are durable.
	Write func(ctx context.Context, f func(tx Tx) error) error
	// Touch is like Write, for changes that no watcher of keys waits for.
	Touch func(ctx context.Context, f func(tx Tx) error) error
	// Allows reports whether the installation lets tokens of this user work.
	Allows func(ctx context.Context, a access.Account, u access.User) (bool, error)
}

// Create creates a token that acts as a user of the account. Users create tokens
// for themselves. Only the operator's command line may name another user. Errors:
// INVALID_REQUEST for invalid settings or too many tokens; AUTH_FORBIDDEN for a scope that
// the user's role does not allow.
func (s *Service) Create(ctx context.Context, actor access.Actor, req Request) (Created, error) {
	if err := req.validate(access.Now()); err != nil {
		return Created{}, err
	}
	var made Created
	err := s.Write(ctx, func(tx Tx) error {
		a, err := access.Authorize(ctx, tx, actor, access.Viewer)
		if err != nil {
			return err
		}
		u, err := userOfToken(ctx, tx, actor, req.UserID)
		if err != nil {
			return err
		}
		if err := checkScopes(a, u, req.Scopes); err != nil {
			return err
		}
		if err := checkLimit(ctx, tx, u); err != nil {
			return err
		}
		made = newToken(u, req)
		if err := tx.SaveAPIToken(ctx, made.Token); err != nil {
			return err
		}
		return access.RecordEvent(ctx, tx, actor, "token.create", made.Token.ID, nil, made.Token.auditFields(u))
	})
	return made, err
}

// List lists the tokens that have not expired, newest first, with the e-mail
// addresses of their users by id. Users who are not owners see only their own tokens.
func (s *Service) List(ctx context.Context, actor access.Actor) ([]Token, map[string]string, error) {
	if _, err := access.Authorize(ctx, s.Store, actor, access.Viewer); err != nil {
		return nil, nil, err
	}
	of, err := visibleUser(ctx, s.Store, actor)
	if err != nil {
		return nil, nil, err
	}
	all, err := s.Store.APITokens(ctx, actor.AccountID, of, access.Now())
	if err != nil {
		return nil, nil, access.WrapStore(err)
	}
	users, err := s.Store.Users(ctx, actor.AccountID)
	emails := map[string]string{}
	for _, u := range users {
		emails[u.ID] = u.Email
	}
	return all, emails, access.WrapStore(err)
}

// Revoke revokes a token that the actor may see.
func (s *Service) Revoke(ctx context.Context, actor access.Actor, id string) error {
	return s.Write(ctx, func(tx Tx) error {
		if _, err := access.Authorize(ctx, tx, actor, access.Viewer); err != nil {
			return err
		}
		of, err := visibleUser(ctx, tx, actor)
		if err != nil {
			return err
		}
		all, err := tx.APITokens(ctx, actor.AccountID, of, access.Now())
		if err != nil {
			return err
		}
		i := slices.IndexFunc(all, func(t Token) bool { return t.ID == id })
		if i < 0 {
			return access.NotFound("token")
		}
		return revoke(ctx, tx, actor, all[i])
	})
}

// Identity returns the user of a token by the SHA-256 of the token. Error:
// SESSION_REQUIRED if the token is unknown, revoked or expired, or if sign-on is required and
// the user has none.
func (s *Service) Identity(ctx context.Context, digest []byte) (access.Identity, Token, error) {
	refused := apperr.New(apperr.SessionRequired, "the API token is unknown, revoked or expired")
	id, t, err := s.Store.APIToken(ctx, digest)
	if err != nil {
		return access.Identity{}, Token{}, access.ReplaceNoRow(err, refused)
	}
	allowed, err := s.Allows(ctx, id.Account, id.User)
	if err != nil {
		return access.Identity{}, Token{}, access.WrapStore(err)
	}
	at := access.Now()
	if !allowed || !at.Before(t.ExpiresAt) {
		return access.Identity{}, Token{}, refused
	}
	if at.Sub(t.UsedAt) >= access.TouchInterval {
		t.UsedAt = at
		s.touch(ctx, t)
	}
	return id, t, nil
}

// touch saves the last use. It ignores errors: the token is valid, and the next call tries again.
// It first checks that the token still exists, because SaveAPIToken would create it again.
func (s *Service) touch(ctx context.Context, used Token) {
	_ = s.Touch(ctx, func(tx Tx) error {
		if _, _, err := tx.APIToken(ctx, used.Hash); err != nil {
			return err
		}
		return tx.SaveAPIToken(ctx, used)
	})
}

package account

import (
	"context"
	"slices"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/services/keyauth/internal/access"
	"github.com/signalbox/signalbox/services/keyauth/internal/setting"
)

// CreateAPIToken creates a token that acts as a user of the account. Users create tokens
// for themselves. Only the operator's command line may name another user. Errors:
// INVALID_REQUEST for invalid settings or too many tokens; AUTH_FORBIDDEN for a scope that
// the user's role does not allow.
func (s *Service) CreateAPIToken(ctx context.Context, actor access.Actor, req APITokenRequest) (NewAPIToken, error) {
	if err := req.validate(access.Now()); err != nil {
		return NewAPIToken{}, err
	}
	var made NewAPIToken
	err := s.write(ctx, func(tx Tx) error {
		a, err := access.Authorize(ctx, tx, actor, access.Viewer)
		if err != nil {
			return err
		}
		u, err := tokenUser(ctx, tx, actor, req.UserID)
		if err != nil {
			return err
		}
		if err := checkScopes(a, u, req.Scopes); err != nil {
			return err
		}
		if err := checkAPITokenLimit(ctx, tx, u); err != nil {
			return err
		}
		made = newAPIToken(u, req)
		if err := tx.SaveAPIToken(ctx, made.Token); err != nil {
			return err
		}
		return access.RecordEvent(ctx, tx, actor, "token.create", made.Token.ID, nil, made.Token.auditFields(u))
	})
	return made, err
}

func newAPIToken(u access.User, req APITokenRequest) NewAPIToken {
	secret := apiTokenPrefix + access.NewToken()
	return NewAPIToken{Email: u.Email, Secret: secret, Token: APIToken{
		ID: access.NewID(), AccountID: u.AccountID, UserID: u.ID, Hash: access.HashToken(secret), Prefix: secret[:apiTokenShown],
		Name: req.Name, Scopes: req.Scopes, CreatedAt: access.Now(), ExpiresAt: req.ExpiresAt,
	}}
}

// tokenUser returns the user as whom a new token acts.
func tokenUser(ctx context.Context, rows access.UserReader, actor access.Actor, id string) (access.User, error) {
	if id == "" {
		id = actor.UserID
	}
	if id == "" {
		return access.User{}, setting.InvalidParam("user_id", "name the user as whom the token acts")
	}
	u, err := access.FindUser(ctx, rows, access.Actor{AccountID: actor.AccountID, UserID: id})
	if err == nil && actor.UserID != "" && actor.UserID != u.ID {
		return access.User{}, apperr.New(apperr.AuthForbidden, "users create tokens only for themselves")
	}
	return u, err
}

func checkAPITokenLimit(ctx context.Context, tx APITokenWriter, u access.User) error {
	if err := tx.EndStaleAPITokens(ctx, u.AccountID, access.Now()); err != nil {
		return err
	}
	open, err := tx.APITokens(ctx, u.AccountID, u.ID, access.Now())
	if err != nil {
		return err
	}
	if len(open) >= maxAPITokens {
		return apperr.New(apperr.InvalidRequest, "the user has reached the limit of 50 API tokens; revoke one that is not needed").
			With("limit", maxAPITokens)
	}
	return nil
}

// APITokens lists the tokens that have not expired, newest first, with the e-mail
// addresses of their users by id. Users who are not owners see only their own tokens.
func (s *Service) APITokens(ctx context.Context, actor access.Actor) ([]APIToken, map[string]string, error) {
	if _, err := access.Authorize(ctx, s.store, actor, access.Viewer); err != nil {
		return nil, nil, err
	}
	of, err := visibleTokens(ctx, s.store, actor)
	if err != nil {
		return nil, nil, err
	}
	all, err := s.store.APITokens(ctx, actor.AccountID, of, access.Now())
	if err != nil {
		return nil, nil, access.WrapStore(err)
	}
	users, err := s.store.Users(ctx, actor.AccountID)
	emails := map[string]string{}
	for _, u := range users {
		emails[u.ID] = u.Email
	}
	return all, emails, access.WrapStore(err)
}

// visibleTokens returns the user whose tokens the actor may see; empty means all users.
func visibleTokens(ctx context.Context, rows access.UserReader, actor access.Actor) (string, error) {
	if actor.UserID == "" {
		return "", nil
	}
	u, err := access.FindUser(ctx, rows, actor)
	if err != nil || u.Role == access.Owner {
		return "", err
	}
	return u.ID, nil
}

// RevokeAPIToken revokes a token that the actor may see.
func (s *Service) RevokeAPIToken(ctx context.Context, actor access.Actor, id string) error {
	return s.write(ctx, func(tx Tx) error {
		if _, err := access.Authorize(ctx, tx, actor, access.Viewer); err != nil {
			return err
		}
		of, err := visibleTokens(ctx, tx, actor)
		if err != nil {
			return err
		}
		all, err := tx.APITokens(ctx, actor.AccountID, of, access.Now())
		if err != nil {
			return err
		}
		i := slices.IndexFunc(all, func(t APIToken) bool { return t.ID == id })
		if i < 0 {
			return access.NotFound("token")
		}
		return revokeAPIToken(ctx, tx, actor, all[i])
	})
}

func revokeAPIToken(ctx context.Context, tx auditedAPITokens, actor access.Actor, t APIToken) error {
	u, err := tx.User(ctx, t.AccountID, t.UserID)
	if err != nil {
		return err
	}
	if err := tx.EndAPIToken(ctx, t.AccountID, t.ID); err != nil {
		return err
	}
	return access.RecordEvent(ctx, tx, actor, "token.revoke", t.ID, t.auditFields(u), nil)
}

// revokeAPITokensOf revokes all tokens of a user who loses a role, leaves, or may have
// lost control of the account.
func revokeAPITokensOf(ctx context.Context, tx auditedAPITokens, actor access.Actor, u access.User) error {
	all, err := tx.APITokens(ctx, u.AccountID, u.ID, access.Now())
	if err != nil {
		return err
	}
	for _, t := range all {
		if err := revokeAPIToken(ctx, tx, actor, t); err != nil {
			return err
		}
	}
	return nil
}

// APITokenIdentity returns the user of a token by the SHA-256 of the token. Error:
// SESSION_REQUIRED if the token is unknown, revoked or expired, or if sign-on is required and
// the user has none.
func (s *Service) APITokenIdentity(ctx context.Context, digest []byte) (access.Identity, APIToken, error) {
	refused := apperr.New(apperr.SessionRequired, "the API token is unknown, revoked or expired")
	id, t, err := s.store.APIToken(ctx, digest)
	if err != nil {
		return access.Identity{}, APIToken{}, access.ReplaceNoRow(err, refused)
	}
	allowed, err := s.allowsTokens(ctx, id.Account, id.User)
	if err != nil {
		return access.Identity{}, APIToken{}, access.WrapStore(err)
	}
	at := access.Now()
	if !allowed || !at.Before(t.ExpiresAt) {
		return access.Identity{}, APIToken{}, refused
	}
	if at.Sub(t.UsedAt) >= access.TouchInterval {
		t.UsedAt = at
		s.touchAPIToken(ctx, t)
	}
	return id, t, nil
}

// touchAPIToken saves the last use. It ignores errors, like touchSession.
func (s *Service) touchAPIToken(ctx context.Context, used APIToken) {
	_ = s.store.Write(ctx, func(tx Tx) error {
		if _, _, err := tx.APIToken(ctx, used.Hash); err != nil {
			return err
		}
		return tx.SaveAPIToken(ctx, used)
	})
}

// Package apitoken implements API tokens, with which programs call the dashboard's API as a user. A
// token has the user's current role, limited by its scopes, and always expires. It is returned once
// and stored as a hash. Package access defines users and roles; package account revokes the tokens
// of a user who loses a role, leaves, or gets a new password.
package apitoken

import (
	"context"
	"time"

	"github.com/signalbox/signalbox/services/keyauth/internal/access"
	"github.com/signalbox/signalbox/services/keyauth/internal/audit"
)

const (
	// secretPrefix starts every API token, so that secret scanners find leaked tokens.
	secretPrefix = "sbx_token_"
	// shownLen is the length of the part that may be displayed.
	shownLen = len(secretPrefix) + 4
	// defaultLifetime is how long a token is valid if the caller gives no expiry.
	defaultLifetime = 90 * 24 * time.Hour
	// maxLifetime is a year, with one day for clocks and leap years.
	maxLifetime = 366 * 24 * time.Hour
	// maxTokens limits the tokens of a user.
	maxTokens = 50
)

// Token lets a program call the dashboard's API as a user. It has the user's current
// role, limited by its scopes.
type Token struct {
	ID        string
	AccountID string
	UserID    string
	// Hash is the SHA-256 of the token. The token itself is not stored.
	Hash []byte
	// Prefix is the part of the token that may be displayed.
	Prefix    string
	Name      string
	Scopes    []string
	CreatedAt time.Time
	ExpiresAt time.Time
	// UsedAt is the last use, at most an hour late; zero if there was none.
	UsedAt time.Time
}

func (t Token) auditFields(u access.User) audit.Fields {
	return audit.Fields{"name": t.Name, "prefix": t.Prefix, "scopes": t.Scopes, "user": u.Email, "expires_at": t.ExpiresAt}
}

// Created is a created token with its secret. The secret is not stored anywhere.
type Created struct {
	Token  Token
	Email  string
	Secret string
}

// Reader reads API tokens.
type Reader interface {
	// APIToken finds a token by its hash. The identity has no session.
	APIToken(ctx context.Context, hash []byte) (access.Identity, Token, error)
	// APITokens lists the tokens of a user that have not expired at the given time, newest
	// first. An empty userID matches every user of the account.
	APITokens(ctx context.Context, accountID, userID string, at time.Time) ([]Token, error)
}

// Writer reads and changes API tokens.
type Writer interface {
	Reader
	// SaveAPIToken inserts a token, or updates the last use of the token with the same id.
	SaveAPIToken(ctx context.Context, t Token) error
	// EndAPIToken returns access.ErrNoRow if the account has no such token.
	EndAPIToken(ctx context.Context, accountID, id string) error
	// EndStaleAPITokens deletes the tokens of an account that have expired at the given time.
	EndStaleAPITokens(ctx context.Context, accountID string, at time.Time) error
}

// auditedWriter changes tokens and records the changes.
type auditedWriter interface {
	Writer
	access.EventWriter
}

func newToken(u access.User, req Request) Created {
	secret := secretPrefix + access.NewToken()
	return Created{Email: u.Email, Secret: secret, Token: Token{
		ID: access.NewID(), AccountID: u.AccountID, UserID: u.ID, Hash: access.HashToken(secret), Prefix: secret[:shownLen],
		Name: req.Name, Scopes: req.Scopes, CreatedAt: access.Now(), ExpiresAt: req.ExpiresAt,
	}}
}

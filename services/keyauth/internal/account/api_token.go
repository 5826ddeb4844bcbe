package account

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/services/keyauth/internal/access"
	"github.com/signalbox/signalbox/services/keyauth/internal/setting"
)

const (
	// apiTokenPrefix starts every API token, so that secret scanners find leaked tokens.
	apiTokenPrefix = "sbx_token_"
	// apiTokenShown is the length of the part that may be displayed.
	apiTokenShown = len(apiTokenPrefix) + 4
	// apiTokenLifetime is how long a token is valid if the caller gives no expiry.
	apiTokenLifetime = 90 * 24 * time.Hour
	// maxAPITokenLifetime is a year, with one day for clocks and leap years.
	maxAPITokenLifetime = 366 * 24 * time.Hour
	// maxAPITokens limits the tokens of a user.
	maxAPITokens = 50
)

// The scopes of API tokens.
const (
	// ScopeRead allows calls that change nothing.
	ScopeRead = "read"
	// ScopeWrite allows changes of the account, except those of the other scopes.
	ScopeWrite = "write"
	// ScopeKeys allows changes of keys.
	ScopeKeys = "keys"
	// ScopePolicy allows changes of the policy and of providers.
	ScopePolicy = "policy"
)

// scopeRoles maps each scope to the role that a user needs to have it in a token.
var scopeRoles = map[string]access.Role{ScopeRead: access.Viewer, ScopeWrite: access.Member, ScopeKeys: access.Member, ScopePolicy: access.Owner}

// APIToken lets a program call the dashboard's API as a user. It has the user's current
// role, limited by its scopes.
type APIToken struct {
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

// NewAPIToken is a created token with its secret. The secret is not stored anywhere.
type NewAPIToken struct {
	Token  APIToken
	Email  string
	Secret string
}

// APITokenReader reads API tokens.
type APITokenReader interface {
	// APIToken finds a token by its hash. The identity has no session.
	APIToken(ctx context.Context, hash []byte) (access.Identity, APIToken, error)
	// APITokens lists the tokens of a user that have not expired at the given time, newest
	// first. An empty userID matches every user of the account.
	APITokens(ctx context.Context, accountID, userID string, at time.Time) ([]APIToken, error)
}

// APITokenWriter reads and changes API tokens.
type APITokenWriter interface {
	APITokenReader
	// SaveAPIToken inserts a token, or updates the last use of the token with the same id.
	SaveAPIToken(ctx context.Context, t APIToken) error
	// EndAPIToken returns ErrNoRow if the account has no such token.
	EndAPIToken(ctx context.Context, accountID, id string) error
	// EndStaleAPITokens deletes the tokens of an account that have expired at the given time.
	EndStaleAPITokens(ctx context.Context, accountID string, at time.Time) error
}

// auditedAPITokens changes tokens and records the changes.
type auditedAPITokens interface {
	APITokenWriter
	access.EventWriter
}

// APITokenRequest describes a token to create.
type APITokenRequest struct {
	// UserID is the user as whom the token acts; empty means the actor.
	UserID string
	Name   string
	Scopes []string
	// ExpiresAt is the expiry; zero means in 90 days.
	ExpiresAt time.Time
}

func (r *APITokenRequest) validate(at time.Time) error {
	r.Name = strings.TrimSpace(r.Name)
	if r.ExpiresAt.IsZero() {
		r.ExpiresAt = at.Add(apiTokenLifetime)
	}
	r.ExpiresAt = r.ExpiresAt.UTC().Truncate(time.Microsecond)
	switch {
	case !setting.IsText(r.Name, 1, setting.MaxNameLength):
		return setting.InvalidParam("name", "a token needs a name of 1 to 100 printable characters")
	case !areTokenScopes(r.Scopes):
		return setting.InvalidParam("scopes", "name at least one of the scopes read, write, keys and policy, each only once")
	case !r.ExpiresAt.After(at):
		return setting.InvalidParam("expires_at", "the expiry must be in the future")
	case r.ExpiresAt.After(at.Add(maxAPITokenLifetime)):
		return setting.InvalidParam("expires_at", "a token expires after at most 366 days")
	}
	return nil
}

func areTokenScopes(list []string) bool {
	for i, v := range list {
		if _, known := scopeRoles[v]; !known || slices.Contains(list[:i], v) {
			return false
		}
	}
	return len(list) > 0
}

// checkScopes returns AUTH_FORBIDDEN for a scope that the user could not use.
func checkScopes(a access.Account, u access.User, scopes []string) error {
	for _, scope := range scopes {
		if u.Role.Rank() < scopeRoles[scope].Rank() {
			return apperr.New(apperr.AuthForbidden, "the role "+string(u.Role)+" does not allow the scope "+scope).
				With("role", string(u.Role)).With("needed", string(scopeRoles[scope]))
		}
		if scope == ScopePolicy && !a.Operator {
			return apperr.New(apperr.AuthForbidden, "only users of the operator's account can change the policy")
		}
	}
	return nil
}

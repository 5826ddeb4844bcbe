package apitoken

import (
	"slices"
	"strings"
	"time"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/services/keyauth/internal/access"
	"github.com/signalbox/signalbox/services/keyauth/internal/setting"
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

// Request describes a token to create.
type Request struct {
	// UserID is the user as whom the token acts; empty means the actor.
	UserID string
	Name   string
	Scopes []string
	// ExpiresAt is the expiry; zero means in 90 days.
	ExpiresAt time.Time
}

func (r *Request) validate(at time.Time) error {
	r.Name = strings.TrimSpace(r.Name)
	if r.ExpiresAt.IsZero() {
		r.ExpiresAt = at.Add(defaultLifetime)
	}
	r.ExpiresAt = r.ExpiresAt.UTC().Truncate(time.Microsecond)
	switch {
	case !setting.IsText(r.Name, 1, setting.MaxNameLength):
		return setting.InvalidParam("name", "a token needs a name of 1 to 100 printable characters")
	case !areScopes(r.Scopes):
		return setting.InvalidParam("scopes", "name at least one of the scopes read, write, keys and policy, each only once")
	case !r.ExpiresAt.After(at):
		return setting.InvalidParam("expires_at", "the expiry must be in the future")
	case r.ExpiresAt.After(at.Add(maxLifetime)):
		return setting.InvalidParam("expires_at", "a token expires after at most 366 days")
	}
	return nil
}

func areScopes(list []string) bool {
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

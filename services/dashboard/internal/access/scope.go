package access

import (
	"net/http"
	"slices"

	"github.com/signalbox/signalbox/pkg/apperr"
)

// The scopes of API tokens. keyauth stores them and decides which role may have them.
const (
	// ScopeRead allows calls that change nothing. It is the default of GET.
	ScopeRead = "read"
	// ScopeWrite allows changes. It is the default of all other methods.
	ScopeWrite = "write"
	// ScopeKeys allows changes of keys.
	ScopeKeys = "keys"
	// ScopePolicy allows changes of the policy and of providers.
	ScopePolicy = "policy"
	// scopeNone means that no API token may make the call.
	scopeNone = "none"
)

// WithScope returns the route with the scope that an API token needs for it.
func (r Route) WithScope(scope string) Route {
	r.scope = scope
	return r
}

// PersonOnly returns the route without access for API tokens. A token must not be able to
// give access that outlives it, such as users, invites, sign-ins and other tokens.
func (r Route) PersonOnly() Route { return r.WithScope(scopeNone) }

// Scope returns the scope that an API token needs, or "none".
func (r Route) Scope() string {
	switch {
	case r.scope != "":
		return r.scope
	case r.Method == http.MethodGet:
		return ScopeRead
	}
	return ScopeWrite
}

// checkScope rejects an API token without the scope. Users with a session need no scope.
func (v *Viewer) checkScope(scope string) error {
	switch {
	case v.Token == nil || slices.Contains(v.Token.GetScopes(), scope):
		return nil
	case scope == scopeNone:
		return apperr.New(apperr.AuthForbidden, "API tokens cannot do this; sign in to the dashboard")
	}
	return apperr.New(apperr.AuthForbidden, "the API token does not have the scope "+scope).With("needed_scope", scope)
}

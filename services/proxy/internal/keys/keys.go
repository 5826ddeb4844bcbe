// Package keys resolves API keys to principals. A principal is the account and the settings
// of a key. The Cache resolves keys from memory. The key service keeps the Cache up to date
// over a stream of changes, which is called the push. The Cache calls the service only for
// keys that it does not have or that may have changed. While the service is unavailable,
// known keys work for hardAge. Well-formed unknown keys get AUTH_UNAVAILABLE instead of
// AUTH_INVALID_KEY.
// Package control implements the Service, package api uses the Cache, and package snapshot
// stores it across restarts.
package keys

import (
	"context"
	"reflect"
	"slices"
	"time"

	"github.com/signalbox/signalbox/pkg/apikey"
	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/services/proxy/internal/limits"
)

// Principal is the caller that a verified key identifies.
type Principal struct {
	AccountID string
	KeyID     string
	KeyName   string
	// Active is false for a revoked key. A revoked key never becomes active again.
	Active bool
	// Scopes and Models restrict the key. Empty means no restriction.
	Scopes       []string
	Models       []string
	Tags         []string
	MaySwapModel bool
	Baseline     string
	Capture      Capture
	// NestedErrors selects the error format of the OpenAI API.
	NestedErrors bool
	// Limits are the limits of the key. AccountLimits apply to all keys of its account
	// together.
	Limits        limits.Set `json:",omitzero"`
	AccountLimits limits.Set `json:",omitzero"`
	// AllowExperiments means that the account lets experiments compare models on its
	// requests.
	AllowExperiments bool `json:",omitempty"`
	// Budgets are the group budgets that can apply to requests with the key.
	Budgets []limits.Budget `json:",omitempty"`
	// User and Agent replace what clients say about their requests; empty means that
	// clients say it.
	User  string `json:",omitempty"`
	Agent string `json:",omitempty"`
	// ExpiresAt is zero for a key that does not expire.
	ExpiresAt time.Time
	// Version is the number of the last change that this state includes. The service numbers
	// the changes of all keys.
	Version int64
}

// Capture is how much of the text of requests and responses is stored.
type Capture int

// The capture settings, from the most to the least content.
const (
	CaptureFull Capture = iota
	CaptureRedacted
	CaptureNone
)

// HasScope reports whether the key has the scope.
func (p *Principal) HasScope(scope string) bool {
	return len(p.Scopes) == 0 || slices.Contains(p.Scopes, scope)
}

// equals reports whether both principals are the same except for the version.
func (p *Principal) equals(other *Principal) bool {
	same := *p
	same.Version = other.Version
	return reflect.DeepEqual(&same, other)
}

// Change reports that the state of a key, or of all keys of an account, has changed.
type Change struct {
	Version   int64
	AccountID string
	// KeyID is empty if the change concerns every key of the account.
	KeyID string
	// Principal is the new state of the key. Nil means that the key must be verified
	// again.
	Principal *Principal
}

// Service is the key service. Verify returns AUTH_INVALID_KEY for a key that is unknown,
// revoked or expired. Any other error means that the service could not check the key.
type Service interface {
	Verify(ctx context.Context, digest apikey.Digest) (*Principal, error)
}

// reasonRevoked is the reason in the details of the error for a revoked key.
const reasonRevoked = "revoked"

func invalidKeyError(reason string) error {
	return apperr.New(apperr.AuthInvalidKey, "the API key is not valid").With("reason", reason)
}

func unavailableError(cause error) error {
	return apperr.New(apperr.AuthUnavailable, "the API key cannot be checked at the moment; try again shortly").WithCause(cause)
}

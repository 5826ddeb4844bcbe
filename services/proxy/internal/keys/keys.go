// Package keys knows who a caller is. It resolves API keys to principals from
// a cache that the key service keeps fresh by pushing changes, and asks the
// service only for keys it has not seen. When the service is away, known keys
// work up to a hard age and unknown ones are told to come back, never that
// their key is wrong. It does not know how the service is reached.
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

// Principal is what a verified key resolves to.
type Principal struct {
	AccountID string
	KeyID     string
	KeyName   string
	// Active is false for a revoked key; that is final.
	Active bool
	// Scopes, Models: empty means all.
	Scopes       []string
	Models       []string
	Tags         []string
	MaySwapModel bool
	Baseline     string
	Capture      Capture
	// NestedErrors asks for the vendor's error shape.
	NestedErrors bool
	// Limits are the key's, and AccountLimits those of all keys of its account
	// together.
	Limits        limits.Set `json:",omitzero"`
	AccountLimits limits.Set `json:",omitzero"`
	// ExpiresAt is zero for a key without an end.
	ExpiresAt time.Time
	// Version is the position in the change log at which this was true.
	Version int64
}

// Capture is how much of the content is kept.
type Capture int

// How much of the content is kept.
const (
	CaptureFull Capture = iota
	CaptureRedacted
	CaptureNone
)

// May reports whether the key has the scope.
func (p *Principal) May(scope string) bool {
	return len(p.Scopes) == 0 || slices.Contains(p.Scopes, scope)
}

// same reports whether both say the same, at whatever version.
func (p *Principal) same(other *Principal) bool {
	as := *p
	as.Version = other.Version
	return reflect.DeepEqual(&as, other)
}

// Change says that what is known of a key, or of all keys of an account, is
// out of date.
type Change struct {
	Version   int64
	AccountID string
	// KeyID is empty when every key of the account is concerned.
	KeyID string
	// Principal is the key's state now; nil means: ask again.
	Principal *Principal
}

// Service is the key service. Verify returns AUTH_INVALID_KEY for a key that
// is unknown, revoked or expired; any other error means that it could not say.
type Service interface {
	Verify(ctx context.Context, digest apikey.Digest) (*Principal, error)
}

// reasonRevoked is what the service and we say of a key that has ended for good.
const reasonRevoked = "revoked"

func invalid(reason string) error {
	return apperr.New(apperr.AuthInvalidKey, "the API key is not valid").With("reason", reason)
}

func unavailable(cause error) error {
	return apperr.New(apperr.AuthUnavailable, "the key cannot be checked at the moment").Because(cause)
}

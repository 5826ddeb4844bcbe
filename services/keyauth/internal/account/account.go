// Package account is the domain of keyauth: accounts, their people, sessions
// and API keys, and the rules about who may do what to them. It hands out
// secrets (keys, tokens) once and keeps only what proves them. It knows no
// transport and no database; the Store it needs is declared here. The gRPC
// face of keyauth is its only user.
package account

import (
	"cmp"
	"context"
	"crypto/cipher"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"github.com/signalbox/signalbox/pkg/apperr"
)

// PepperLen is the least length of a pepper.
const PepperLen = 32

const (
	keepChanges = 100_000
	pruneEvery  = 1000
)

// Registration is who may make an account.
type Registration string

// The registrations.
const (
	// RegistrationOpen lets everybody.
	RegistrationOpen Registration = "open"
	// RegistrationInvite lets those whom the operator invites.
	RegistrationInvite Registration = "invite"
	// RegistrationClosed lets nobody; people may still be invited into an
	// existing account.
	RegistrationClosed Registration = "closed"
)

// Capture is how much of the content is kept; empty leaves it to the next
// wider setting: the account's, then the installation's.
type Capture string

// The captures.
const (
	CaptureFull     Capture = "full"
	CaptureRedacted Capture = "redacted"
	CaptureNone     Capture = "none"
)

// Account is who pays.
type Account struct {
	ID            string
	Name          string
	BaselineModel string
	Capture       Capture
	// ContentDays is for how long content is kept; 0 means the installation's.
	ContentDays int32
	Operator    bool
	CreatedAt   time.Time
	// Limits is what all keys together may do.
	Limits Limits
	// WebhookURL is where notices go; empty means nowhere.
	WebhookURL string
	// WebhookSecret is what signs them, sealed; nil for none.
	WebhookSecret []byte
	// Claim is the hash of the token that claims the account; nil once that
	// has happened, and for every account but the operator's.
	Claim []byte
}

// Unclaimed reports whether the account still waits for its owner.
func (a Account) Unclaimed() bool { return len(a.Claim) > 0 }

// Config is what the domain needs.
type Config struct {
	Store Store
	// Pepper is mixed into what is stored of a key, so that a copy of the
	// store alone proves no key. At least PepperLen bytes.
	Pepper       []byte
	Registration Registration
	// KeepChanges is how many changes the log for watchers holds; 0 means
	// 100,000. A watcher that was away for longer starts anew.
	KeepChanges int64
	// DefaultBudget is the monthly budget of new accounts but the operator's,
	// in nano-USD; 0 means none. Where there is one, only the operator raises
	// that of an account beyond it.
	DefaultBudget int64
	// Webhook tells notices; nil keeps them waiting.
	Webhook Webhook
	// PrivateWebhooks allows webhooks without TLS and at addresses that are
	// not public.
	PrivateWebhooks bool
	// Log is told of notices that cannot be worked on; nil for nobody.
	Log *slog.Logger
}

// Service is the domain, safe for concurrent use. Errors are *apperr.Error:
// STORE_UNAVAILABLE when the store cannot be asked, NOT_FOUND for an id that
// is not the account's, AUTH_FORBIDDEN for a role that does not suffice,
// INVALID_REQUEST with the name of the parameter for what cannot be accepted.
type Service struct {
	store        Store
	pepper       []byte
	registration Registration
	hasher       *hasher
	throttle     *throttle
	bell         *bell
	keepChanges  int64
	writes       atomic.Int64
	reports      atomic.Int64

	defaultBudget   int64
	webhook         Webhook
	privateWebhooks bool
	sealer          cipher.AEAD
	tests           tests
	log             *slog.Logger
}

// New makes the domain.
func New(cfg Config) (*Service, error) {
	if cfg.Store == nil {
		return nil, errors.New("account: no store")
	}
	if len(cfg.Pepper) < PepperLen {
		return nil, fmt.Errorf("account: the pepper has %d bytes, want at least %d", len(cfg.Pepper), PepperLen)
	}
	switch cfg.Registration {
	case RegistrationOpen, RegistrationInvite, RegistrationClosed:
	default:
		return nil, fmt.Errorf("account: registration %q is not known", cfg.Registration)
	}
	sealer, err := newSealer(cfg.Pepper)
	if err != nil {
		return nil, err
	}
	return &Service{
		store: cfg.Store, pepper: cfg.Pepper, registration: cfg.Registration,
		hasher: newHasher(), throttle: newThrottle(), bell: newBell(),
		keepChanges:   cmp.Or(cfg.KeepChanges, keepChanges),
		defaultBudget: cfg.DefaultBudget, webhook: cfg.Webhook, privateWebhooks: cfg.PrivateWebhooks, sealer: sealer,
		tests: tests{of: map[string]bool{}}, log: cmp.Or(cfg.Log, slog.New(slog.DiscardHandler)),
	}, nil
}

// write runs f as one transaction and wakes those who wait for changes. Now
// and then it prunes the change log.
func (s *Service) write(ctx context.Context, f func(tx Tx) error) error {
	prunes := s.writes.Add(1)%pruneEvery == 1
	err := s.store.Write(ctx, func(tx Tx) error {
		if err := f(tx); err != nil || !prunes {
			return err
		}
		return tx.PruneChanges(ctx, s.keepChanges)
	})
	if err != nil {
		return storeError(err)
	}
	s.bell.ring()
	return nil
}

// storeError is what a caller learns of an error of the store; refusals made
// inside a transaction pass unchanged.
func storeError(err error) error {
	var refusal *apperr.Error
	if err == nil || errors.As(err, &refusal) {
		return err
	}
	return apperr.New(apperr.StoreUnavailable, "the store of accounts cannot be asked").Because(err)
}

func newID() string { return uuid.Must(uuid.NewV7()).String() }

// now has the precision of the store, so that what is answered at once equals
// what is read later.
func now() time.Time { return time.Now().UTC().Truncate(time.Microsecond) }

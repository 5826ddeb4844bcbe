// Package account is the domain of keyauth: accounts, users, sessions, invites,
// API keys, limits and budgets, and the rules about who may change them.
//
// Service implements every operation. It returns secrets (keys, tokens) exactly
// once and stores only hashes of them. The package depends on no transport and no
// database: Store is its interface to the database, and Webhook delivers its
// notices. The grpcapi package serves it over gRPC.
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

// PepperLen is the minimum length of a pepper in bytes.
const PepperLen = 32

const (
	keepChanges = 100_000
	pruneEvery  = 1000
)

// Registration is the rule for who can create an account.
type Registration string

// The registration modes.
const (
	// RegistrationOpen allows everyone.
	RegistrationOpen Registration = "open"
	// RegistrationInvite allows users whom the operator invites.
	RegistrationInvite Registration = "invite"
	// RegistrationClosed allows no new accounts. Users can still be invited into
	// an existing account.
	RegistrationClosed Registration = "closed"
)

// Capture is how much content of requests and responses is stored. An empty value
// inherits the setting of the account, then of the installation.
type Capture string

// The capture modes.
const (
	CaptureFull     Capture = "full"
	CaptureRedacted Capture = "redacted"
	CaptureNone     Capture = "none"
)

// Account is the customer that owns keys and pays for them.
type Account struct {
	ID            string
	Name          string
	BaselineModel string
	Capture       Capture
	// ContentDays is the retention of captured content in days; 0 means the setting of the installation.
	ContentDays int32
	Operator    bool
	CreatedAt   time.Time
	// Limits apply to all keys of the account together.
	Limits Limits
	// WebhookURL receives notices; empty means none.
	WebhookURL string
	// WebhookSecret is the encrypted signing secret; nil means unsigned.
	WebhookSecret []byte
	// ClaimHash is the hash of the token that claims the account. It is nil after
	// the claim, and for every account but the operator's.
	ClaimHash []byte
}

// IsUnclaimed reports whether no owner has claimed the account yet.
func (a Account) IsUnclaimed() bool { return len(a.ClaimHash) > 0 }

// Config holds what New needs. Store, Pepper and Registration are required.
type Config struct {
	Store Store
	// Pepper is mixed into the stored hash of a key, so that a copy of the store
	// alone cannot verify keys. It has at least PepperLen bytes.
	Pepper       []byte
	Registration Registration
	// KeepChanges is how many entries the change log holds; 0 means 100,000. A
	// watcher that falls further behind must start over.
	KeepChanges int64
	// DefaultBudget is the monthly budget in nano-USD of new accounts, except the
	// operator's; 0 means none. If it is set, only the operator can raise the
	// budget of an account above it.
	DefaultBudget int64
	// Webhook delivers notices. If it is nil, notices stay queued.
	Webhook Webhook
	// PrivateWebhooks allows webhooks without TLS and at private addresses.
	PrivateWebhooks bool
	// Log receives delivery problems; nil discards them.
	Log *slog.Logger
}

// Service implements the domain. It is safe for concurrent use. Its errors are
// *apperr.Error: STORE_UNAVAILABLE if the store fails, NOT_FOUND for an id that
// is not in the account, AUTH_FORBIDDEN if the role is not sufficient, and
// INVALID_REQUEST with the name of the parameter for invalid input.
type Service struct {
	store        Store
	pepper       []byte
	registration Registration
	hasher       *hasher
	throttle     *throttle
	changed      *changeSignal
	keepChanges  int64
	writes       atomic.Int64
	reports      atomic.Int64

	defaultBudget   int64
	webhook         Webhook
	privateWebhooks bool
	sealer          cipher.AEAD
	tests           webhookTests
	log             *slog.Logger
}

// New returns a Service.
func New(cfg Config) (*Service, error) {
	if cfg.Store == nil {
		return nil, errors.New("account: Config.Store is missing")
	}
	if len(cfg.Pepper) < PepperLen {
		return nil, fmt.Errorf("account: the pepper has %d bytes, want at least %d", len(cfg.Pepper), PepperLen)
	}
	switch cfg.Registration {
	case RegistrationOpen, RegistrationInvite, RegistrationClosed:
	default:
		return nil, fmt.Errorf("account: unknown registration mode %q", cfg.Registration)
	}
	sealer, err := newSealer(cfg.Pepper)
	if err != nil {
		return nil, err
	}
	return &Service{
		store: cfg.Store, pepper: cfg.Pepper, registration: cfg.Registration,
		hasher: newHasher(), throttle: newThrottle(), changed: newChangeSignal(),
		keepChanges:   cmp.Or(cfg.KeepChanges, keepChanges),
		defaultBudget: cfg.DefaultBudget, webhook: cfg.Webhook, privateWebhooks: cfg.PrivateWebhooks, sealer: sealer,
		tests: webhookTests{running: map[string]bool{}}, log: cmp.Or(cfg.Log, slog.New(slog.DiscardHandler)),
	}, nil
}

// write runs f in one transaction and wakes the watchers of the change log. Every
// thousandth call also prunes the log.
func (s *Service) write(ctx context.Context, f func(tx Tx) error) error {
	prunes := s.writes.Add(1)%pruneEvery == 1
	err := s.store.Write(ctx, func(tx Tx) error {
		if err := f(tx); err != nil || !prunes {
			return err
		}
		return tx.PruneChanges(ctx, s.keepChanges)
	})
	if err != nil {
		return wrapStoreError(err)
	}
	s.changed.broadcast()
	return nil
}

// wrapStoreError converts an error of the store to STORE_UNAVAILABLE. An apperr.Error
// from inside a transaction passes unchanged.
func wrapStoreError(err error) error {
	var refusal *apperr.Error
	if err == nil || errors.As(err, &refusal) {
		return err
	}
	return apperr.New(apperr.StoreUnavailable, "the account store is unavailable").WithCause(err)
}

func newID() string { return uuid.Must(uuid.NewV7()).String() }

// now has the precision of the store, so that a value returned right after a
// write equals the value read later.
func now() time.Time { return time.Now().UTC().Truncate(time.Microsecond) }

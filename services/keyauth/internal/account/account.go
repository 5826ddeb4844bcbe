// Package account manages accounts and their people: registration, sign-in, sign-on, invites,
// password resets, limits, budgets and the audit log.
//
// Service implements the operations. It returns a secret, such as the token of an invite,
// exactly once and stores only a hash. The signing secrets of webhooks are stored
// encrypted. The package depends on no transport and no database: Store is its interface
// to the database, composed of one small interface for each kind of object.
//
// Package access defines accounts, users and roles. The packages keyring and apitoken
// implement API keys and API tokens; Service connects them to the store. The packages
// spend, notice, report and signinguard hold the parts that need no account. Package
// grpcapi serves the operations over gRPC.
package account

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"

	"github.com/signalbox/signalbox/services/keyauth/internal/access"
	"github.com/signalbox/signalbox/services/keyauth/internal/apitoken"
	"github.com/signalbox/signalbox/services/keyauth/internal/keyring"
	"github.com/signalbox/signalbox/services/keyauth/internal/notice"
	"github.com/signalbox/signalbox/services/keyauth/internal/signinguard"
)

// PepperLen is the minimum length of a pepper in bytes.
const PepperLen = 32

const (
	keepChanges = 100_000
	pruneEvery  = 1000
)

// Registration defines which people can create an account.
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

// Config holds what New needs. Store, Pepper and Registration are required.
type Config struct {
	Store Store
	// Pepper is a secret outside the store. It is the key of the stored HMACs of API
	// keys, so a copy of the store alone cannot verify keys. It has at least
	// PepperLen bytes.
	Pepper       []byte
	Registration Registration
	// KeepChanges is how many of the newest entries of the change log survive when it
	// is pruned; 0 means 100,000. The change log lists changed keys and accounts, so
	// that proxies can update their caches. A proxy that is further behind must discard
	// its cache.
	KeepChanges int64
	// DefaultBudget is the monthly budget of new accounts in nano-USD; 0 means no
	// budget. The operator's account gets no default budget. If DefaultBudget is
	// set, only the operator can raise an account's budget above it.
	DefaultBudget int64
	// Webhook delivers notices. If it is nil, notices stay queued.
	Webhook notice.Webhook
	// PrivateWebhooks allows webhooks without TLS and at private addresses.
	PrivateWebhooks bool
	// SSOOnly allows password sign-ins only for owners of the operator's account.
	SSOOnly bool
	// HashMemory is the memory of a password hash in KiB; 0 means signinguard.HashMemory. Tests use less.
	HashMemory uint32
	// Log receives delivery problems; nil discards them.
	Log *slog.Logger
}

// Service implements the operations. It is safe for concurrent use. Its methods return
// an *apperr.Error with the code STORE_UNAVAILABLE if the store fails, NOT_FOUND
// for an id that is not in the account, and AUTH_FORBIDDEN if the user's role is
// not sufficient. For invalid input the code is INVALID_REQUEST, and the error
// contains the name of the parameter.
type Service struct {
	// Tokens implements the operations on API tokens.
	Tokens *apitoken.Service
	// Keys implements the operations on API keys.
	Keys *keyring.Service

	store        Store
	registration Registration
	hasher       *signinguard.Hasher
	throttle     *signinguard.Throttle
	changed      *changeSignal
	keepChanges  int64
	writes       atomic.Int64
	reports      atomic.Int64

	ssoOnly         bool
	defaultBudget   int64
	webhook         notice.Webhook
	privateWebhooks bool
	sealer          *notice.Sealer
	tests           notice.Tests
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
	sealer, err := notice.NewSealer(cfg.Pepper)
	if err != nil {
		return nil, err
	}
	s := &Service{
		store: cfg.Store, registration: cfg.Registration,
		hasher: signinguard.NewHasher(cmp.Or(cfg.HashMemory, signinguard.HashMemory)), throttle: signinguard.NewThrottle(), changed: newChangeSignal(),
		keepChanges:   cmp.Or(cfg.KeepChanges, keepChanges),
		ssoOnly:       cfg.SSOOnly,
		defaultBudget: cfg.DefaultBudget, webhook: cfg.Webhook, privateWebhooks: cfg.PrivateWebhooks, sealer: sealer,
		log: cmp.Or(cfg.Log, slog.New(slog.DiscardHandler)),
	}
	s.Tokens = &apitoken.Service{
		Store: cfg.Store, Allows: s.allowsTokens,
		Write: func(ctx context.Context, f func(tx apitoken.Tx) error) error {
			return s.write(ctx, func(tx Tx) error { return f(tx) })
		},
		Touch: func(ctx context.Context, f func(tx apitoken.Tx) error) error {
			return s.store.Write(ctx, func(tx Tx) error { return f(tx) })
		},
	}
	s.Keys = &keyring.Service{
		Store: cfg.Store, Pepper: cfg.Pepper, BudgetChanged: s.notifyAfterBudgetChange,
		Write: func(ctx context.Context, f func(tx keyring.Tx) error) error {
			return s.write(ctx, func(tx Tx) error { return f(tx) })
		},
	}
	return s, nil
}

// write runs f in one transaction and wakes the watchers of the change log. The
// first call and every thousandth call after it also prune the change log.
func (s *Service) write(ctx context.Context, f func(tx Tx) error) error {
	prunes := s.writes.Add(1)%pruneEvery == 1
	err := s.store.Write(ctx, func(tx Tx) error {
		if err := f(tx); err != nil || !prunes {
			return err
		}
		return tx.PruneChanges(ctx, s.keepChanges)
	})
	if err != nil {
		return access.WrapStore(err)
	}
	s.changed.broadcast()
	return nil
}

// Package keyauth is the service for accounts, users, sessions, API keys and
// budgets. New opens the store. Run serves gRPC on the given listener and
// delivers budget notices to webhooks. Close closes the store.
//
// Other services never read the store. They use the gRPC API of this service.
// The keyauth binary and the all-in-one process run the service.
package keyauth

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"sync"

	"go.opentelemetry.io/otel/trace"

	"github.com/signalbox/signalbox/pkg/certs"
	"github.com/signalbox/signalbox/pkg/rpc"
	"github.com/signalbox/signalbox/pkg/telemetry"
	"github.com/signalbox/signalbox/services/keyauth/internal/account"
	"github.com/signalbox/signalbox/services/keyauth/internal/grpcapi"
	"github.com/signalbox/signalbox/services/keyauth/internal/store"
	"github.com/signalbox/signalbox/services/keyauth/internal/webhook"
)

// Deps holds the dependencies of the service. Listener and Log are required.
type Deps struct {
	// Listener accepts gRPC connections. The operator socket is opened in addition.
	// Run or Close closes Listener.
	Listener net.Listener
	Log      *slog.Logger
	// Tracer and Histograms may be nil.
	Tracer     trace.TracerProvider
	Histograms *telemetry.Histograms
	// Identity makes callers prove their role with a certificate. If Identity is
	// nil, every caller counts as proxy and as dashboard, but not as operator.
	// Without Identity, other machines must not be able to reach Listener.
	Identity *certs.Identity
}

func (d Deps) validate() error {
	if d.Listener == nil {
		return errors.New("keyauth: Deps.Listener is missing")
	}
	if d.Log == nil {
		return errors.New("keyauth: Deps.Log is missing")
	}
	return nil
}

// Service is the keyauth service, ready to run.
type Service struct {
	store    *store.Store
	domain   *account.Service
	server   *rpc.Server
	listener net.Listener
}

// New opens the store and reads the pepper, which is the secret that protects
// stored keys. On a first start, New creates the store and the pepper. New also
// opens a socket in the data directory. Through this socket the operator's command
// line works without a certificate. The caller must call Close, even without Run.
func New(ctx context.Context, cfg Config, deps Deps) (*Service, error) {
	if err := deps.validate(); err != nil {
		return nil, err
	}
	if err := cfg.createDataDir(); err != nil {
		return nil, fmt.Errorf("keyauth: %w", err)
	}
	url, err := cfg.storeURL()
	if err != nil {
		return nil, fmt.Errorf("keyauth: %w", err)
	}
	s, err := store.Open(ctx, url)
	if err != nil {
		return nil, fmt.Errorf("keyauth: %w", err)
	}
	domain, err := newDomain(ctx, cfg, deps.Log, s)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("keyauth: %w", err), s.Close())
	}
	server := rpc.NewServer(rpc.ServerConfig{Log: deps.Log, Tracer: deps.Tracer, Histograms: deps.Histograms, Identity: deps.Identity, Allow: grpcapi.AllowedRoles()})
	grpcapi.Register(server.Registrar(), domain)
	return &Service{
		store: s, domain: domain, server: server, listener: addOperatorSocket(ctx, cfg.Data, deps.Listener, deps.Log),
	}, nil
}

func newDomain(ctx context.Context, cfg Config, log *slog.Logger, s *store.Store) (*account.Service, error) {
	bypasses, err := s.BypassesRowSecurity(ctx)
	if err != nil {
		return nil, fmt.Errorf("read store: %w", err)
	}
	if bypasses {
		log.WarnContext(ctx, "row security does not apply to the Postgres login, so it does not separate accounts; use a login that is not a superuser and has no BYPASSRLS")
	}
	pepper, err := loadPepper(ctx, cfg.pepperPath(), s)
	if err != nil {
		return nil, err
	}
	cfg.warnReadableSecrets(ctx, log)
	return account.New(account.Config{
		Store: s, Pepper: pepper, Registration: cfg.registrationMode(), DefaultBudget: cfg.DefaultBudget,
		Webhook: webhook.New(webhook.Config{AllowPrivate: cfg.WebhookAllowPrivate}), PrivateWebhooks: cfg.WebhookAllowPrivate,
		SSOOnly: cfg.SSOOnly, Log: log,
	})
}

// Run serves requests and delivers notices until ctx ends. Then it waits for
// running calls. Call Run only once.
func (s *Service) Run(ctx context.Context) error {
	ctx, stop := context.WithCancel(ctx)
	var notices sync.WaitGroup
	notices.Go(func() { s.domain.DeliverNotices(ctx) })
	err := s.server.Serve(ctx, s.listener)
	stop()
	notices.Wait()
	return err
}

// Ping returns an error if the store does not respond. Without its store the
// process is not ready, because every call needs the store. Proxies still accept
// the keys that they have cached.
func (s *Service) Ping(ctx context.Context) error { return s.store.Ping(ctx) }

// Close closes the store. Call it after Run has returned.
func (s *Service) Close() error {
	_ = s.listener.Close() // if Run was called, the listener is already closed
	return s.store.Close()
}

// Package keyauth is the service of accounts, sessions and API keys. This file
// is its whole face: Config, Deps, New, Run. It answers gRPC on the listener
// it is given and owns its store; other services reach it over the wire alone.
// Its own binary and the all-in-one use it.
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
	"github.com/signalbox/signalbox/services/keyauth/internal/account"
	"github.com/signalbox/signalbox/services/keyauth/internal/grpcapi"
	"github.com/signalbox/signalbox/services/keyauth/internal/store"
	"github.com/signalbox/signalbox/services/keyauth/internal/webhook"
)

// Deps is what the service is given. Listener and Log must be there.
type Deps struct {
	// Listener is where it answers, beside its socket; Run or Close closes it.
	Listener net.Listener
	Log      *slog.Logger
	Tracer   trace.TracerProvider
	// Identity makes peers prove theirs; nil is for a network that only this
	// machine can reach, where whoever comes is taken for a proxy and for the
	// dashboard, and never for the operator.
	Identity *certs.Identity
}

func (d Deps) check() error {
	if d.Listener == nil {
		return errors.New("keyauth: Deps.Listener is missing")
	}
	if d.Log == nil {
		return errors.New("keyauth: Deps.Log is missing")
	}
	return nil
}

// Service is keyauth, ready to run.
type Service struct {
	store    *store.Store
	domain   *account.Service
	server   *rpc.Server
	listener net.Listener
}

// New opens the store and the pepper; on a first start it makes both. The
// operator's command line is answered on a socket in the data directory, also
// without a certificate. The caller calls Close, also when Run was never
// called.
func New(ctx context.Context, cfg Config, deps Deps) (*Service, error) {
	if err := deps.check(); err != nil {
		return nil, err
	}
	if err := cfg.makeData(); err != nil {
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
	server := rpc.NewServer(rpc.ServerConfig{Log: deps.Log, Tracer: deps.Tracer, Identity: deps.Identity, Allow: grpcapi.Allow()})
	grpcapi.Register(server.Registrar(), domain)
	return &Service{
		store: s, domain: domain, server: server, listener: withSocket(ctx, cfg.Data, deps.Listener, deps.Log),
	}, nil
}

func newDomain(ctx context.Context, cfg Config, log *slog.Logger, s *store.Store) (*account.Service, error) {
	unfenced, err := s.Unfenced(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the store: %w", err)
	}
	if unfenced {
		log.WarnContext(ctx, "postgres keeps accounts apart only for a login that is no superuser")
	}
	pepper, err := loadPepper(ctx, cfg.pepperPath(), s)
	if err != nil {
		return nil, err
	}
	cfg.warnOpen(ctx, log)
	return account.New(account.Config{
		Store: s, Pepper: pepper, Registration: cfg.registration(), DefaultBudget: cfg.DefaultBudget,
		Webhook: webhook.New(webhook.Config{AllowPrivate: cfg.WebhookAllowPrivate}), PrivateWebhooks: cfg.WebhookAllowPrivate,
		Log: log,
	})
}

// Run answers, and tells webhooks of notices, until ctx ends and running calls
// have finished. It runs once.
func (s *Service) Run(ctx context.Context) error {
	ctx, stop := context.WithCancel(ctx)
	var notices sync.WaitGroup
	notices.Go(func() { s.domain.Deliver(ctx) })
	err := s.server.Serve(ctx, s.listener)
	stop()
	notices.Wait()
	return err
}

// Ping reports whether the store answers. Without it the service can answer
// nothing at all, so a process needs it to be ready: proxies serve the keys
// they know meanwhile.
func (s *Service) Ping(ctx context.Context) error { return s.store.Ping(ctx) }

// Close closes the store. It is called after Run has returned.
func (s *Service) Close() error {
	_ = s.listener.Close() // which Run has done, if it ran
	return s.store.Close()
}

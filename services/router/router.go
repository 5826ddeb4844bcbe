// Package router is the service that decides: which model, which provider,
// why. It keeps the versions of the policy, answers proxies over gRPC and
// pushes them the policy in force. It calls no provider and sees no secret.
// Its face is here; cmd/router and the all-in-one use it.
package router

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"

	"go.opentelemetry.io/otel/trace"

	"github.com/signalbox/signalbox/pkg/certs"
	"github.com/signalbox/signalbox/pkg/config"
	"github.com/signalbox/signalbox/pkg/lifecycle"
	"github.com/signalbox/signalbox/pkg/policy"
	"github.com/signalbox/signalbox/pkg/process"
	"github.com/signalbox/signalbox/pkg/rpc"
	"github.com/signalbox/signalbox/pkg/telemetry"
	"github.com/signalbox/signalbox/services/router/internal/engine"
	"github.com/signalbox/signalbox/services/router/internal/grpcapi"
	"github.com/signalbox/signalbox/services/router/internal/store"
)

// Config is the router's settings.
type Config struct {
	// Policy is the operator's policy file; empty means the stored policy.
	Policy string
	// Data is the directory of the store, if Store is empty.
	Data string
	// Store is the url of the store; empty means Postgres, and without that a
	// file in Data.
	Store config.Secret
	// Postgres is the database that services share, each in its schema.
	Postgres config.Secret

	// Process and Peers are for the service's own binary; a process that hosts
	// the service among others has its own.
	Process process.Config
	Peers   process.Peers
}

// Register adds the settings to a set.
func (c *Config) Register(s *config.Set) {
	s.String(&c.Policy, "config", "", "policy file; without one the stored policy rules, at first the built-in default")
	s.String(&c.Data, "data", "./data", "directory of the policy store and other state")
	s.Secret(&c.Store, "router-store", "store of policy versions, sqlite:///path/file.db or postgres://...; by default policy.db in the data directory")
	s.Secret(&c.Postgres, "postgres-url", "database of every service whose store is not named")
}

// LoadConfig reads the settings of the service's own binary.
func LoadConfig(args, environ []string) (Config, error) {
	c := Config{Process: process.Config{
		Listen: "127.0.0.1:7001", Admin: "127.0.0.1:9001", Telemetry: telemetry.Config{Service: "router"},
	}}
	set := config.New()
	c.Process.Register(set)
	c.Peers.Register(set)
	c.Register(set)
	err := set.Load(args, environ)
	return c, err
}

// Deps is what the router needs from its process.
type Deps struct {
	// Listener is where it serves; Run closes it.
	Listener net.Listener
	Log      *slog.Logger
	// Tracer may be nil.
	Tracer trace.TracerProvider
	// Identity makes peers prove theirs; nil is for a network that only this
	// machine can reach.
	Identity *certs.Identity
	// Environ, in the form of os.Environ, tells which providers' credentials
	// are present. Only names are read, and whether something stands behind
	// them.
	Environ []string
}

// Service is the router.
type Service struct {
	listener net.Listener
	server   *rpc.Server
	engine   *engine.Engine
	store    *store.Store
}

// New opens the store and puts a policy in force. A faulty policy file is an
// error with a line per problem, each with the file's name and the position.
// The caller calls Close.
func New(ctx context.Context, cfg Config, deps Deps) (*Service, error) {
	switch {
	case deps.Listener == nil:
		return nil, errors.New("router: Deps.Listener is missing")
	case deps.Log == nil:
		return nil, errors.New("router: Deps.Log is missing")
	}
	st, err := openStore(ctx, cfg)
	if err != nil {
		return nil, fmt.Errorf("router: %w", err)
	}
	e, err := openEngine(ctx, cfg, deps, st)
	if err != nil {
		return nil, errors.Join(err, st.Close())
	}
	s := &Service{listener: withSocket(ctx, cfg.Data, deps.Listener, deps.Log), engine: e, store: st}
	s.server = rpc.NewServer(rpc.ServerConfig{Log: deps.Log, Tracer: deps.Tracer, Identity: deps.Identity, Allow: grpcapi.Allow(), Lanes: grpcapi.Lanes(e)})
	grpcapi.Register(s.server.Registrar(), e)
	return s, nil
}

// Policy is the version of the policy in force, for readiness pages.
func (s *Service) Policy() string {
	a, _ := s.engine.Active()
	return a.Policy.Version()
}

// Fresh is why the policy in force is not what the operator's file, or else the
// store, has now; nil when it is. The last good one stays in force. It does not
// block.
func (s *Service) Fresh() error { return s.engine.Fault() }

// File says in few words how the policy file is, for readiness pages, which
// anybody may read: where its first fault is, and nothing of what is written.
func (s *Service) File() string {
	var problems policy.Problems
	switch fault := s.engine.Fault(); {
	case fault == nil:
		return "in force"
	case errors.As(fault, &problems) && len(problems) > 0:
		first := problems[0]
		return fmt.Sprintf("refused: %d faults, the first is %s in line %d, column %d", len(problems), first.Code, first.Line, first.Column)
	}
	return "cannot be taken up"
}

// Run serves, and follows file or store, until ctx ends and running calls are
// done.
func (s *Service) Run(ctx context.Context) error {
	return lifecycle.Run(ctx,
		lifecycle.Task{Name: "grpc", Run: func(ctx context.Context) error { return s.server.Serve(ctx, s.listener) }},
		lifecycle.Task{Name: "policy", Run: s.engine.Follow},
	)
}

// Ping reports whether the store answers. Decisions are made without it, and
// only policies cannot be published or listed, so a process wants it and does
// not need it: a balancer that turned every router away would make every proxy
// fall back.
func (s *Service) Ping(ctx context.Context) error { return s.store.Ping(ctx) }

// Close releases the store. Run must have returned.
func (s *Service) Close() error {
	_ = s.listener.Close() // which Run has done, if it ran
	return s.store.Close()
}

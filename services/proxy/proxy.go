// Package proxy is the data plane: HTTP in, provider out. It has no database;
// its only use of the disk is the transit spool of records and the snapshots
// of keys and policy that it can start from. This file and config.go are its
// whole public face.
package proxy

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/google/uuid"
	"go.opentelemetry.io/otel/metric"

	"github.com/signalbox/signalbox/pkg/health"
	"github.com/signalbox/signalbox/pkg/httpserver"
	"github.com/signalbox/signalbox/pkg/policy"
	"github.com/signalbox/signalbox/pkg/records"
	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
	routerv1 "github.com/signalbox/signalbox/proto/signalbox/router/v1"
	"github.com/signalbox/signalbox/services/proxy/internal/api"
	"github.com/signalbox/signalbox/services/proxy/internal/breaker"
	"github.com/signalbox/signalbox/services/proxy/internal/control"
	"github.com/signalbox/signalbox/services/proxy/internal/counters"
	"github.com/signalbox/signalbox/services/proxy/internal/gate"
	"github.com/signalbox/signalbox/services/proxy/internal/keys"
	"github.com/signalbox/signalbox/services/proxy/internal/ledger"
	"github.com/signalbox/signalbox/services/proxy/internal/limits"
	"github.com/signalbox/signalbox/services/proxy/internal/provider/registry"
	"github.com/signalbox/signalbox/services/proxy/internal/snapshot"
	"github.com/signalbox/signalbox/services/proxy/internal/spool"
	"github.com/signalbox/signalbox/services/proxy/internal/tokens"
)

// BasePath is what clients append to our address to get their base URL.
const BasePath = api.Prefix

// flushLimit bounds how long a stop waits for the store to confirm the last
// records; what is not confirmed then stays in the spool for the next start.
const flushLimit = 10 * time.Second

// OpenDecide begins a stream of questions to the router, which ends with ctx.
type OpenDecide = control.OpenDecide

// DecideStream is such a stream.
type DecideStream = control.DecideStream

// Deps is what the proxy works with.
type Deps struct {
	Router routerv1.RouterServiceClient
	// OpenDecide begins a stream of questions to the router; nil is one of
	// Router's.
	OpenDecide OpenDecide
	Keys       keyauthv1.KeyAuthServiceClient
	Records    records.Publisher
	// Counters are what all proxies have used of the limits of keys and
	// accounts; nil means that this is the only one.
	Counters *counters.Redis
	// LookupEnv resolves the secrets that the policy refers to.
	LookupEnv func(name string) (string, bool)
	// Version is told to upstreams.
	Version string
	// Health is told what readiness depends on.
	Health *health.Readiness
	Log    *slog.Logger
	Meter  metric.MeterProvider
	// Listener is served by Run; nil when somebody else serves Handler.
	Listener net.Listener
}

// Service is a proxy.
type Service struct {
	cfg       Config
	deps      Deps
	spool     *spool.Spool
	keys      *control.Keys
	gate      *gate.Gate
	keeper    *limits.Keeper
	cache     *keys.Cache
	router    *control.Router
	outcomes  *control.Outcomes
	providers providers
	snapshots *snapshot.Keeper
	health    *health.Readiness
	metrics   *metrics
	tokens    *tokens.Learner
	breakers  *breaker.Set
	handler   http.Handler
	trusted   httpserver.Trusted
	ready     chan struct{}
	// remembers is set when a snapshot had keys that can be used.
	remembers bool
}

// New makes a proxy that recovers what an earlier one left in the spool, and
// knows the keys and the policy that one knew. A missing dependency is an error
// that names it.
func New(cfg Config, deps Deps) (*Service, error) {
	if err := errors.Join(deps.check(), cfg.check()); err != nil {
		return nil, err
	}
	trusted, err := httpserver.ParseTrusted(cfg.TrustedProxies)
	if err != nil {
		return nil, err
	}
	sp, err := spool.Open(cfg.spool(deps.Log))
	if err != nil {
		return nil, fmt.Errorf("open spool: %w", err)
	}
	s := &Service{
		cfg: cfg, deps: deps, trusted: trusted, spool: sp, health: deps.Health,
		breakers: breaker.NewSet(), gate: gate.New(cfg.gate()), ready: make(chan struct{}),
	}
	if err := errors.Join(s.openLimits(), s.measure()); err != nil {
		return nil, errors.Join(err, sp.Close())
	}
	s.keys = control.NewKeys(deps.Keys, deps.Log)
	s.cache = keys.NewCache(s.keys, time.Now)
	open := deps.OpenDecide
	if open == nil {
		open = control.OverGRPC(deps.Router)
	}
	s.router = control.NewRouter(deps.Router, open, cfg.DecideTimeout, deps.Log)
	s.tokens = tokens.NewLearner()
	s.outcomes = control.NewOutcomes(deps.Router, sp.Stats().Producer, deps.Log)
	s.handler = api.New(api.Deps{
		Keys: s.cache, Router: s.router, Providers: s.providers.of, Tokens: s.tokens, Breakers: s.breakers,
		Gate: s.gate, Keeper: s.keeper, Refused: s.metrics.refuse,
		Book: ledger.NewBook(sp, spool.Headroom, control.RecordCodec{}), Done: s.done,
		Live: s.health.Live(), Ready: s.health.Ready(), Log: deps.Log,
		Limits: cfg.limits(), KeepAlive: api.KeepAlive{After: cfg.KeepAliveAfter, Every: cfg.KeepAliveEvery},
		CaptureLimit: int(cfg.CaptureBytes),
	})
	if err := s.remember(); err != nil {
		return nil, errors.Join(err, sp.Close())
	}
	s.watchHealth()
	return s, nil
}

// measure makes what is scraped.
func (s *Service) measure() (err error) {
	meter := s.deps.Meter.Meter(meterName)
	s.metrics, err = newMetrics(meter)
	return errors.Join(err, measureSpool(meter, s.spool), measureGate(meter, s.gate), s.measureLimits(meter),
		s.providers.measure(meter), measureBreakers(meter, s.breakers))
}

func (d Deps) check() error {
	for name, missing := range map[string]bool{
		"Router": d.Router == nil, "Keys": d.Keys == nil, "Records": d.Records == nil, "LookupEnv": d.LookupEnv == nil, "Health": d.Health == nil,
		"Log": d.Log == nil, "Meter": d.Meter == nil,
	} {
		if missing {
			return errors.New("proxy: Deps." + name + " is missing")
		}
	}
	return nil
}

// Handler is the edge.
func (s *Service) Handler() http.Handler { return s.handler }

// Ready is closed when the proxy has reached everything it depends on for the
// first time. It can serve earlier, from less.
func (s *Service) Ready() <-chan struct{} { return s.ready }

// Run follows the control plane, ships records and serves, until ctx ends.
// Then it drains, waits for the last records to be stored, and returns.
func (s *Service) Run(ctx context.Context) error {
	background, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	var wg sync.WaitGroup
	wg.Go(func() { s.keys.Follow(background, s.cache, s.keeper) })
	wg.Go(func() { s.keeper.Run(background) })
	wg.Go(func() { s.router.Follow(background, s.adopt) })
	wg.Go(func() { s.outcomes.Follow(background) })
	wg.Go(func() { s.tokens.Run(background) })
	wg.Go(func() { s.announce(background) })
	wg.Go(func() { s.snapshots.Run(background) })
	shipped := make(chan error, 1)
	wg.Go(func() { shipped <- s.spool.Ship(background, s.deps.Records) })
	err := s.serve(ctx)
	err = errors.Join(err, s.flush())
	stop()
	wg.Wait()
	return errors.Join(err, <-shipped)
}

// Close closes the spool. What the store has not confirmed stays in it.
func (s *Service) Close() error { return s.spool.Close() }

func (s *Service) serve(ctx context.Context) error {
	if s.deps.Listener == nil {
		<-ctx.Done()
		return nil
	}
	return httpserver.Serve(ctx, s.deps.Listener, s.Server())
}

// Server is how the edge is to be served, wherever it is.
func (s *Service) Server() httpserver.Config {
	return httpserver.Config{
		Handler: s.handler, Log: s.deps.Log, Drain: s.health.Drain, Delay: s.cfg.DrainDelay, Limit: s.cfg.DrainLimit,
		HeaderTimeout: s.cfg.HeaderTimeout, MaxHeader: int(s.cfg.MaxHeader),
		MaxConns: int(s.cfg.MaxConnections), Vital: api.Vital, Trusted: s.trusted,
		RequestID: func() string { return uuid.Must(uuid.NewV7()).String() },
	}
}

// flush gives the last records time to be stored. What is not stored by then
// is safe in the spool, so it is no failure.
func (s *Service) flush() error {
	ctx, cancel := context.WithTimeout(context.Background(), flushLimit)
	defer cancel()
	if err := s.spool.Flush(ctx); err != nil {
		s.deps.Log.Warn("records wait in the spool for the next start", "error", err)
	}
	return nil
}

// adopt prepares for a policy before it becomes active, and tells which
// credentials of it are not there.
func (s *Service) adopt(p *policy.Policy) error {
	if err := s.providers.build(p, s.deps.Version, registry.Secrets(s.deps.LookupEnv)); err != nil {
		return err
	}
	if missing := s.providers.now.Load().set.Missing(); len(missing) > 0 {
		s.deps.Log.Warn("credentials are missing; calls to their providers fail", "missing", missing)
	}
	s.breakers.Adopt(p)
	return nil
}

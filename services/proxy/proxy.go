// Package proxy is the data plane: it receives client requests over HTTP and forwards them to
// model providers. It has no database. On disk it stores the spool and the snapshots. The spool
// holds request records until the ledger, the store of all records, has them. The snapshots hold
// keys and the policy, so that the proxy can start without the control plane. Without Redis, the
// proxy also stores the state of the limits in a file, and the states of sessions in the store
// that Deps provides. New and Run are the entry points. This
// file and config.go contain the whole public API of the package.
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
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"github.com/signalbox/signalbox/pkg/config"
	"github.com/signalbox/signalbox/pkg/health"
	"github.com/signalbox/signalbox/pkg/httpserver"
	"github.com/signalbox/signalbox/pkg/policy"
	"github.com/signalbox/signalbox/pkg/records"
	"github.com/signalbox/signalbox/pkg/telemetry"
	"github.com/signalbox/signalbox/pkg/tokens"
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
	"github.com/signalbox/signalbox/services/proxy/internal/recordcodec"
	"github.com/signalbox/signalbox/services/proxy/internal/running"
	"github.com/signalbox/signalbox/services/proxy/internal/sessionkeeper"
	"github.com/signalbox/signalbox/services/proxy/internal/sessionredis"
	"github.com/signalbox/signalbox/services/proxy/internal/shadow"
	"github.com/signalbox/signalbox/services/proxy/internal/snapshot"
	"github.com/signalbox/signalbox/services/proxy/internal/spool"
	"github.com/signalbox/signalbox/services/proxy/internal/tracing"
)

// BasePath is the base path of the client API.
const BasePath = api.Prefix

// flushLimit limits how long a shutdown waits for the ledger to confirm the last records. The
// next process sends the records that remain in the spool.
const flushLimit = 10 * time.Second

// Deps holds the parts that the proxy uses.
type Deps struct {
	Router  routerv1.RouterServiceClient
	Keys    keyauthv1.KeyAuthServiceClient
	Records records.Publisher
	// Counters are the shared limit counters in Redis. Nil means that no other proxy shares the
	// limits.
	Counters *counters.Redis
	// Sessions are the states of sessions in Redis. Nil means that no other proxy shares the
	// sessions. Then SessionFile stores them, if it is set.
	Sessions    *sessionredis.Redis
	SessionFile SessionFile
	// LookupEnv looks up environment variables. Secrets in the policy can refer to them.
	LookupEnv func(name string) (string, bool)
	// Version is the version of the proxy. The proxy sends it to upstreams.
	Version string
	// Health receives the readiness checks.
	Health *health.Readiness
	Log    *slog.Logger
	Meter  metric.MeterProvider
	// Histograms, Tracer and Sampler are those of the process. They may be nil.
	Histograms *telemetry.Histograms
	Tracer     trace.TracerProvider
	Sampler    sdktrace.Sampler
	// Listener is served by Run. It is nil if the caller serves Handler or Server itself.
	Listener net.Listener
}

// Service is a running proxy.
type Service struct {
	cfg       Config
	deps      Deps
	spool     *spool.Spool
	keys      *control.Keys
	gate      *gate.Gate
	limiter   *limits.Limiter
	sessions  *sessionkeeper.Keeper
	shadow    *shadow.Pool
	cache     *keys.Cache
	router    *control.Router
	outcomes  *control.Outcomes
	providers providers
	snapshots *snapshot.Keeper
	health    *health.Readiness
	metrics   *metrics
	tracer    *tracing.Tracer
	tokens    *tokens.Learner
	breakers  *breaker.Set
	handler   http.Handler
	trusted   httpserver.TrustedProxies
	// running is nil unless requests in progress end when their key is revoked.
	running *keys.Running
	ready   chan struct{}
	// hasStoredKeys is set if a snapshot contained usable keys.
	hasStoredKeys bool
}

// New returns a proxy. It adopts the spools of earlier processes, and loads the keys and the policy
// from the snapshots. If a required dependency is missing, the error names one.
func New(cfg Config, deps Deps) (*Service, error) {
	if err := errors.Join(deps.validate(), cfg.validate()); err != nil {
		return nil, err
	}
	trusted, err := httpserver.ParseTrustedProxies(cfg.TrustedProxies)
	if err != nil {
		return nil, err
	}
	public, err := config.ParseOrigin("public-url", cfg.PublicURL)
	if err != nil {
		return nil, err
	}
	if public != nil {
		cfg.PublicURL = public.String()
	}
	sp, err := spool.Open(cfg.spoolConfig(deps.Log))
	if err != nil {
		return nil, fmt.Errorf("open spool: %w", err)
	}
	s := &Service{
		cfg: cfg, deps: deps, trusted: trusted, spool: sp, health: deps.Health,
		breakers: breaker.NewSet(), gate: gate.New(cfg.gateLimits()), ready: make(chan struct{}),
	}
	s.openSessions()
	book := ledger.NewWriter(sp, spool.Headroom, recordcodec.Codec{})
	if err := s.openLimits(); err != nil {
		return nil, errors.Join(err, sp.Close())
	}
	s.openShadow(book)
	s.openTracing()
	if err := s.registerMetrics(); err != nil {
		return nil, errors.Join(err, sp.Close())
	}
	s.keys = control.NewKeys(deps.Keys, deps.Log)
	s.cache = keys.NewCache(s.keys, time.Now)
	s.cache.SetTimeouts(cfg.keyTimeouts)
	s.router = control.NewRouter(deps.Router, cfg.DecideTimeout, deps.Log)
	s.tokens = tokens.NewLearner()
	s.outcomes = control.NewOutcomes(deps.Router, sp.Stats().Producer, s.providers.credentials, deps.Log)
	if cfg.EndRevoked {
		s.running = &keys.Running{}
	}
	s.handler = api.New(api.Deps{
		Keys: s.cache, Running: s.running, Router: s.router, Providers: s.providers.adaptersOf, Tokens: s.tokens, Breakers: s.breakers,
		Gate: s.gate, Limiter: s.limiter, Sessions: s.sessions, LimitRejected: s.metrics.countRejection,
		Shadow: s.shadow, Ledger: book, RecordDone: s.recordDone, StartTrace: s.tracer.Start, SendTrace: cfg.TraceUpstreams,
		KeylessFailed: s.metrics.countKeyless, LogKeyless: cfg.LogRequests != logNone,
		Live: s.health.LiveHandler(), Ready: s.health.ReadyHandler(), Log: deps.Log,
		Limits: cfg.requestLimits(), KeepAlive: api.KeepAlive{After: cfg.KeepAliveAfter, Every: cfg.KeepAliveEvery},
		CaptureLimit: int(cfg.CaptureBytes), PublicURL: cfg.PublicURL,
	})
	if err := s.loadSnapshots(); err != nil {
		return nil, errors.Join(err, sp.Close())
	}
	s.registerHealth()
	return s, nil
}

func (s *Service) registerMetrics() (err error) {
	meter := s.deps.Meter.Meter(meterName)
	s.metrics, err = newMetrics(meter, s.deps.Histograms, s.tracer.FindUpstream)
	return errors.Join(err, measureSpool(meter, s.spool), measureGate(meter, s.gate), s.measureLimits(meter), s.measureSessions(meter),
		s.providers.measure(meter), measureBreakers(meter, s.breakers), s.measureShadow(meter))
}

func (s *Service) openTracing() {
	s.tracer = tracing.New(tracing.Config{
		Provider: s.deps.Tracer, Sampler: s.deps.Sampler, Content: s.cfg.TraceContent,
		Policy: func() *policy.Policy {
			if s.router == nil {
				return nil
			}
			return s.router.Policy()
		},
	})
}

func (d Deps) validate() error {
	for name, missing := range map[string]bool{
		"Router": d.Router == nil, "Keys": d.Keys == nil, "Records": d.Records == nil, "LookupEnv": d.LookupEnv == nil, "Health": d.Health == nil,
		"Log": d.Log == nil, "Meter": d.Meter == nil,
	} {
		if missing {
			return errors.New("proxy: Deps." + name + " is not set")
		}
	}
	return nil
}

// Handler returns the handler of the client API.
func (s *Service) Handler() http.Handler { return s.handler }

// Ready returns a channel that is closed when the proxy has a policy and has reached the router
// and the key service. Before that, the proxy may already serve requests with its snapshots.
func (s *Service) Ready() <-chan struct{} { return s.ready }

// Run receives updates from the control plane, sends records and serves requests until ctx ends.
// Then it finishes running requests, waits up to flushLimit for the last records to reach the
// ledger, and returns.
func (s *Service) Run(ctx context.Context) error {
	background, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	var wg sync.WaitGroup
	wg.Go(func() { s.keys.Follow(background, s.cache, s.limiter) })
	wg.Go(func() { s.limiter.Run(background) })
	wg.Go(func() { s.sessions.Run(background) })
	wg.Go(func() { s.router.Follow(background, s.applyPolicies) })
	wg.Go(func() { s.outcomes.Follow(background) })
	wg.Go(func() { s.tokens.Run(background) })
	wg.Go(func() { s.awaitReady(background) })
	wg.Go(func() { s.snapshots.Run(background) })
	wg.Go(func() { s.newRunningReporter().Run(background) })
	// Experiments end at once when the proxy stops. Their last results are written before the
	// flush.
	experiments := make(chan struct{})
	wg.Go(func() {
		defer close(experiments)
		s.shadow.Run(ctx)
	})
	shipped := make(chan error, 1)
	wg.Go(func() { shipped <- s.spool.Ship(background, s.deps.Records) })
	err := s.serve(ctx)
	<-experiments
	err = errors.Join(err, s.flush())
	stop()
	wg.Wait()
	return errors.Join(err, <-shipped)
}

// newRunningReporter returns what tells the dashboard about requests in progress.
func (s *Service) newRunningReporter() *running.Reporter {
	return &running.Reporter{
		Spool: s.spool, To: s.deps.Records, Producer: s.spool.Stats().Producer, Log: s.deps.Log,
		Summarize: func(start []byte) (out running.Summary, ok bool) {
			out.Account, out.Began, out.Record, ok = recordcodec.SummarizeStart(start)
			return out, ok
		},
	}
}

// Close closes the spool. Records that the ledger has not confirmed remain in it.
func (s *Service) Close() error { return s.spool.Close() }

func (s *Service) serve(ctx context.Context) error {
	if s.deps.Listener == nil {
		<-ctx.Done()
		return nil
	}
	return httpserver.Serve(ctx, s.deps.Listener, s.Server())
}

// Server returns the server configuration of the client API.
func (s *Service) Server() httpserver.Config {
	return httpserver.Config{
		Handler: s.handler, Log: s.deps.Log, OnDrain: s.health.Drain, DrainDelay: s.cfg.DrainDelay, DrainLimit: s.cfg.DrainLimit,
		HeaderTimeout: s.cfg.HeaderTimeout, MaxHeader: int(s.cfg.MaxHeader),
		MaxConns: int(s.cfg.MaxConnections), IsVital: api.IsProbe, TrustedProxies: s.trusted,
		RequestID: func() string { return uuid.Must(uuid.NewV7()).String() }, PublicURL: s.cfg.PublicURL,
	}
}

// flush waits until the last records have reached the ledger, at most flushLimit. It never returns
// an error, because the other records remain in the spool.
func (s *Service) flush() error {
	ctx, cancel := context.WithTimeout(context.Background(), flushLimit)
	defer cancel()
	if err := s.spool.Flush(ctx); err != nil {
		s.deps.Log.Warn("some records have not reached the ledger yet: they remain in the spool until the next start", "error", err)
	}
	return nil
}

// applyPolicies prepares the providers and breakers for policies before they are used: the stable
// one, and the candidate of a rollout or nil. It logs missing credentials.
func (s *Service) applyPolicies(stable, candidate *policy.Policy) error {
	all := []*policy.Policy{stable}
	if candidate != nil {
		all = append(all, candidate)
	}
	if err := s.providers.build(s.deps.Version, registry.NewSecretResolver(s.deps.LookupEnv), all...); err != nil {
		return err
	}
	if missing := s.providers.missingKeys(); len(missing) > 0 {
		s.deps.Log.Warn("provider credentials missing: calls to these providers fail", "missing", missing)
	}
	s.breakers.ApplyPolicy(all...)
	return nil
}

// Package router is the service that chooses a model and a provider for each
// request and gives the reason. A Service stores the versions of the policy. Over
// gRPC it decides for proxies and sends them the active policy. It calls no
// provider and does not retain provider credentials. cmd/router and the all-in-one
// run it.
package router

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"time"

	"go.opentelemetry.io/otel/trace"

	"github.com/signalbox/signalbox/pkg/certs"
	"github.com/signalbox/signalbox/pkg/config"
	"github.com/signalbox/signalbox/pkg/lifecycle"
	"github.com/signalbox/signalbox/pkg/policy"
	"github.com/signalbox/signalbox/pkg/process"
	"github.com/signalbox/signalbox/pkg/rpc"
	"github.com/signalbox/signalbox/pkg/telemetry"
	"github.com/signalbox/signalbox/services/router/internal/engine"
	"github.com/signalbox/signalbox/services/router/internal/enrich"
	"github.com/signalbox/signalbox/services/router/internal/evidence"
	"github.com/signalbox/signalbox/services/router/internal/grpcapi"
	"github.com/signalbox/signalbox/services/router/internal/policyfile"
	"github.com/signalbox/signalbox/services/router/internal/store"
)

// Config holds the router's settings.
type Config struct {
	// Policy is the path of the operator's policy file. If it is empty, the stored
	// policy applies.
	Policy string
	// PolicySecrets and PolicySecretsDir allow published policies to use more secrets
	// than the credentials of the catalog's providers.
	PolicySecrets, PolicySecretsDir string
	// Data is the directory of the operator's socket. It also contains the store if
	// Store and Postgres are empty.
	Data string
	// Store is the URL of the store. If it is empty, the store is in Postgres. If
	// Postgres is empty too, the store is a file in Data.
	Store config.Secret
	// Postgres is the URL of the shared database. Each service has its own schema.
	Postgres config.Secret
	// Learning says whether decisions use what was learned from evidence: on or off.
	// Empty means on.
	Learning string

	// Process and Peers are used only by the router's own binary. The all-in-one
	// process has its own settings for them.
	Process process.Config
	Peers   process.Peers
}

// Register adds the settings to a config set.
func (c *Config) Register(s *config.Set) {
	s.String(&c.Policy, "config", "", "policy file; without one the stored policy applies, which is the built-in default at first")
	s.String(&c.PolicySecrets, "policy-secrets", "", "comma-separated secrets that published policies may send to any address, such as env:ACME_KEY,env:UPSTREAM_*,file:/etc/acme/key; the credentials of catalog providers are always allowed at the catalog's address; a policy file may use any secret")
	s.String(&c.PolicySecretsDir, "policy-secrets-dir", "", "directory whose files published policies may use as secrets")
	s.String(&c.Data, "data", "./data", "directory of the policy store and other state")
	s.Secret(&c.Store, "router-store", "URL of the store of policy versions, sqlite:///path/file.db or postgres://...; default: --postgres-url if set, otherwise policy.db in the data directory")
	s.OneOf(&c.Learning, "learning", "on", []string{"on", learningOff}, "whether decisions use what the router has learned from feedback and signals; off uses the shipped weights alone")
	s.Secret(&c.Postgres, "postgres-url", "URL of the Postgres database for all services that have no store URL of their own")
}

const learningOff = "off"

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

// Deps holds what the router needs from its process.
type Deps struct {
	// Listener accepts the gRPC connections. Run closes it.
	Listener net.Listener
	Log      *slog.Logger
	// Tracer and Histograms may be nil.
	Tracer     trace.TracerProvider
	Histograms *telemetry.Histograms
	// Identity makes peers authenticate with certificates. Nil is only for a
	// network that other machines cannot reach.
	Identity *certs.Identity
	// Environ has the format of os.Environ. It shows which provider credentials are
	// set. The router does not retain their values.
	Environ []string
	// Weights replaces the weights that ship with the program. Nil means those.
	Weights *enrich.Weights
	// Now is the clock of the learner; nil means time.Now.
	Now func() time.Time
	// LearnsOnDemand leaves learning to Learn. Tests that compare what two routers have learned need
	// that: the result depends on which outcomes are learned together.
	LearnsOnDemand bool
}

// Service is a router.
type Service struct {
	listener net.Listener
	server   *rpc.Server
	engine   *engine.Engine
	learner  *evidence.Learner
	store    *store.Store
}

// New opens the store and activates a policy. If the policy file is invalid, the
// error has one line per problem, with file name and position. The caller must
// call Close.
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
	s := &Service{listener: addOperatorSocket(ctx, cfg.Data, deps.Listener, deps.Log), engine: e, store: st}
	s.learner = newLearner(cfg, deps, st, e)
	// If the store fails, the shipped weights apply until it responds.
	if err := s.learner.Refresh(ctx); err != nil {
		deps.Log.WarnContext(ctx, "cannot read what was learned", "error", err)
	}
	s.server = rpc.NewServer(rpc.ServerConfig{Log: deps.Log, Tracer: deps.Tracer, Histograms: deps.Histograms, Identity: deps.Identity, Allow: grpcapi.Allow()})
	grpcapi.Register(s.server.Registrar(), e, s.learner, grpcapi.NewDecisionTimes(deps.Histograms))
	return s, nil
}

// PolicyVersion returns the version of the active policy, for readiness reports.
func (s *Service) PolicyVersion() string {
	a, _ := s.engine.Active()
	return a.Policy.Version()
}

// CheckPolicyCurrent returns an error if the newest policy cannot be loaded. That
// policy comes from the operator's file or, without a file, from the store. The
// policy that was active before stays active. The call does not block.
func (s *Service) CheckPolicyCurrent() error { return s.engine.RefreshError() }

// PolicyFileStatus describes the state of the policy file, for readiness reports.
// These reports are public, so the description contains the position of the first
// problem, but no content of the file.
func (s *Service) PolicyFileStatus() string {
	var problems policy.Problems
	var unread policyfile.Fault
	switch fault := s.engine.RefreshError(); {
	case fault == nil:
		return "active"
	case errors.As(fault, &unread):
		return "cannot be loaded: " + unread.Error()
	case errors.As(fault, &problems) && len(problems) > 0:
		first, count := problems[0], "1 problem"
		if len(problems) > 1 {
			count = fmt.Sprintf("%d problems", len(problems))
		}
		return fmt.Sprintf("rejected: %s, the first is %s in line %d, column %d", count, first.Code, first.Line, first.Column)
	}
	return "cannot be loaded"
}

// Run serves calls and follows the policy file or the store until ctx ends and
// running calls have finished.
func (s *Service) Run(ctx context.Context) error {
	return lifecycle.Run(ctx,
		lifecycle.Task{Name: "grpc", Run: func(ctx context.Context) error { return s.server.Serve(ctx, s.listener) }},
		lifecycle.Task{Name: "policy", Run: s.engine.Follow},
		lifecycle.Task{Name: "learner", Run: s.learner.Follow},
	)
}

// Learn learns from all evidence that was reported so far and applies the result, which Run
// otherwise does every minute.
func (s *Service) Learn(ctx context.Context) error { return s.learner.Poll(ctx) }

// Ping checks that the store responds. Only the management of policies needs the
// store. Decisions do not, so a failing Ping must not make the process unready:
// a load balancer would remove every router, and the proxies would have to decide
// without one.
func (s *Service) Ping(ctx context.Context) error { return s.store.Ping(ctx) }

// Close releases the store. Run must have returned.
func (s *Service) Close() error {
	_ = s.listener.Close() // in case Run was never called
	return s.store.Close()
}

// Package dashboard is the service that keeps the ledger and shows it. This
// file is its whole face: Config, Deps, New, Handler, Run. It takes records
// from a carrier into its store, and serves the HTTP API and the pages; who
// somebody is, it asks keyauth. Its own binary and the all-in-one use it.
package dashboard

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"go.opentelemetry.io/otel/metric"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/httpserver"
	"github.com/signalbox/signalbox/pkg/lifecycle"
	"github.com/signalbox/signalbox/pkg/records"
	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
	routerv1 "github.com/signalbox/signalbox/proto/signalbox/router/v1"
	"github.com/signalbox/signalbox/services/dashboard/internal/ingest"
	"github.com/signalbox/signalbox/services/dashboard/internal/meter"
	"github.com/signalbox/signalbox/services/dashboard/internal/store"
	"github.com/signalbox/signalbox/services/dashboard/internal/upkeep"
	"github.com/signalbox/signalbox/services/dashboard/internal/web"
)

// drainLimit is how long running requests may go on when the service stops.
const drainLimit = 5 * time.Second

// Deps is what the service is given. All but Listener and Meter must be there.
type Deps struct {
	Accounts keyauthv1.AccountServiceClient
	Router   routerv1.RouterServiceClient
	Policies routerv1.PolicyServiceClient
	// Records is where the records come from.
	Records records.Source
	// Listener is where Run serves the handler, and closes it; nil when
	// somebody else serves it.
	Listener net.Listener
	Log      *slog.Logger
	// Meter is for the service's metrics; nil for none.
	Meter metric.MeterProvider
	// Version is told to people.
	Version string
}

func (d Deps) check() error {
	for _, need := range []struct {
		name    string
		missing bool
	}{
		{"Accounts", d.Accounts == nil},
		{"Router", d.Router == nil},
		{"Policies", d.Policies == nil},
		{"Records", d.Records == nil},
		{"Log", d.Log == nil},
	} {
		if need.missing {
			return fmt.Errorf("dashboard: Deps.%s is missing", need.name)
		}
	}
	return nil
}

// Service is the dashboard, ready to run.
type Service struct {
	deps     Deps
	cfg      Config
	store    *store.Store
	spends   *ingest.Spends
	meter    *meter.Meter
	handler  http.Handler
	operator http.Handler
	trusted  httpserver.Trusted
}

// New opens the store and makes the handler. The caller closes the service.
func New(ctx context.Context, cfg Config, deps Deps) (*Service, error) {
	if err := deps.check(); err != nil {
		return nil, err
	}
	public, err := origin("public-url", cfg.PublicURL)
	if err != nil {
		return nil, fmt.Errorf("dashboard: %w", err)
	}
	edge, err := origin("edge-url", cfg.EdgeURL)
	if err != nil {
		return nil, fmt.Errorf("dashboard: %w", err)
	}
	trusted, err := httpserver.ParseTrusted(cfg.TrustedProxies)
	if err != nil {
		return nil, fmt.Errorf("dashboard: %w", err)
	}
	url, err := cfg.storeURL()
	if err != nil {
		return nil, fmt.Errorf("dashboard: %w", err)
	}
	known, err := catalog.Load()
	if err != nil {
		return nil, fmt.Errorf("dashboard: %w", err)
	}
	ledger, err := store.Open(ctx, url)
	if err != nil {
		return nil, fmt.Errorf("dashboard: %w", err)
	}
	spends := ingest.NewSpends(deps.Accounts, ledger, deps.Log)
	pages := web.Deps{
		Accounts: deps.Accounts, Router: deps.Router, Policies: deps.Policies, Catalog: known,
		Ledger: ledger, Spendings: ledger, Feed: ledger, Completeness: ledger, Letters: books{ledger, spends}, Volume: ledger,
		Log: deps.Log, PublicURL: public, EdgeURL: edge, Balanced: len(trusted) > 0, Version: deps.Version,
		Retention: web.Retention{Records: cfg.RetentionDays, Content: cfg.ContentDays},
	}
	if carrier, ok := deps.Records.(web.Carrier); ok {
		pages.Carrier = carrier
	}
	handler, err := web.New(pages)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("dashboard: %w", err), ledger.Close())
	}
	count := meter.New(deps.Records, ledger, deps.Log)
	if err := measure(deps.Meter, count); err != nil {
		return nil, errors.Join(fmt.Errorf("dashboard: %w", err), ledger.Close())
	}
	return &Service{
		deps: deps, cfg: cfg, store: ledger, spends: spends, meter: count, handler: handler, operator: web.NewOperator(pages), trusted: trusted,
	}, nil
}

// Handler serves /api/v1 and the pages, whether or not Run serves it too.
func (s *Service) Handler() http.Handler { return s.handler }

// Run takes records into the store, and serves if there is a listener, until
// ctx ends; then it lets running requests and the batch in hand finish.
func (s *Service) Run(ctx context.Context) error {
	uses := ingest.NewUses(s.deps.Accounts, s.deps.Log)
	mover := &ingest.Ingest{Source: s.deps.Records, Ledger: books{s.store, s.spends}, Uses: uses, Log: s.deps.Log}
	tasks := []lifecycle.Task{
		{Name: "last uses", Run: uses.Run}, {Name: "spend", Run: s.spends.Run}, {Name: "completeness", Run: s.meter.Run},
		{Name: "ingest", Run: mover.Run}, {Name: "upkeep", Run: s.upkeep().Run},
	}
	tasks = append(tasks, s.operatorTasks(ctx)...)
	if s.deps.Listener != nil {
		tasks = append(tasks, lifecycle.Task{Name: "http", Run: s.serve})
	}
	return lifecycle.Run(ctx, tasks...)
}

func (s *Service) upkeep() *upkeep.Upkeep {
	return &upkeep.Upkeep{
		Ledger: books{s.store, s.spends}, Accounts: s.deps.Accounts, Log: s.deps.Log, Now: time.Now,
		Days: int(s.cfg.RetentionDays), ContentDays: int(s.cfg.ContentDays),
	}
}

func (s *Service) serve(ctx context.Context) error {
	return httpserver.Serve(ctx, s.deps.Listener, httpserver.Config{Handler: s.handler, Log: s.deps.Log, Limit: drainLimit, Trusted: s.trusted})
}

// Ping reports whether the store answers. Without it there is nothing to show
// and nowhere to put records, so a process needs it to be ready: another one
// may reach it.
func (s *Service) Ping(ctx context.Context) error { return s.store.Ping(ctx) }

// Complete fails while records are missing that a proxy has sent in the last
// day. It does not block.
func (s *Service) Complete() error { return s.meter.Check() }

// Close closes the store; Run must have returned.
func (s *Service) Close() error { return s.store.Close() }

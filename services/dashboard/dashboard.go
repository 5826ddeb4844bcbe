// Package dashboard is the service that stores the records of all requests (the
// ledger) and shows them. New opens the store, Handler serves the HTTP API and the
// pages, and Run ingests records and maintains the store. The dashboard calls two
// services over gRPC: keyauth for accounts, keys and sign-in, and the router for
// decisions and policies. The dashboard binary and the all-in-one use this package.
package dashboard

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"time"

	"go.opentelemetry.io/otel/metric"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/config"
	"github.com/signalbox/signalbox/pkg/httpserver"
	"github.com/signalbox/signalbox/pkg/lifecycle"
	"github.com/signalbox/signalbox/pkg/records"
	"github.com/signalbox/signalbox/pkg/telemetry"
	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
	routerv1 "github.com/signalbox/signalbox/proto/signalbox/router/v1"
	"github.com/signalbox/signalbox/services/dashboard/internal/alert"
	"github.com/signalbox/signalbox/services/dashboard/internal/api/system"
	"github.com/signalbox/signalbox/services/dashboard/internal/completeness"
	"github.com/signalbox/signalbox/services/dashboard/internal/inflight"
	"github.com/signalbox/signalbox/services/dashboard/internal/ingest"
	"github.com/signalbox/signalbox/services/dashboard/internal/notify"
	"github.com/signalbox/signalbox/services/dashboard/internal/readlimit"
	"github.com/signalbox/signalbox/services/dashboard/internal/signals"
	"github.com/signalbox/signalbox/services/dashboard/internal/store"
	"github.com/signalbox/signalbox/services/dashboard/internal/upkeep"
	"github.com/signalbox/signalbox/services/dashboard/internal/web"
)

// drainTimeout is how long open requests may take to finish during shutdown.
const drainTimeout = 5 * time.Second

// maxConnections limits the open connections, including those of live pages.
const maxConnections = 4096

// LocalServer is a model server that Deps.LocalServers has found.
type LocalServer = system.LocalServer

// Deps are the service's dependencies. Listener, Meter, Version, Proxy,
// LocalServers, Warnings, PageTimeouts, StoreTimeouts and Certificates are optional.
type Deps struct {
	Accounts keyauthv1.AccountServiceClient
	Router   routerv1.RouterServiceClient
	Policies routerv1.PolicyServiceClient
	// Records delivers the records to store.
	Records records.Source
	// Listener is where Run serves Handler. Run closes the listener. Nil means
	// that the caller serves Handler.
	Listener net.Listener
	Log      *slog.Logger
	// Meter and Histograms receive the service's metrics; nil for none.
	Meter      metric.MeterProvider
	Histograms *telemetry.Histograms
	// Version is shown to users.
	Version string
	// Proxy carries requests of the playground to a proxy in the same process. Nil means
	// that the proxy is at Config.Proxy.
	Proxy http.RoundTripper
	// LocalServers looks for model servers on this machine; nil if no proxy runs on it.
	LocalServers func(ctx context.Context) []LocalServer
	// Warnings returns warnings about the installation for the page System; nil for none.
	Warnings func() []string
	// PageTimeouts and StoreTimeouts are longer in tests, because a busy machine exceeds the defaults.
	// The reads of a request still end after readlimit.Timeout.
	PageTimeouts  web.Timeouts
	StoreTimeouts store.Timeouts
	// Certificates returns the certificates of this process, for alerts; nil for none.
	Certificates func() []Certificate
}

func (d Deps) validate() error {
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
	spends   *ingest.SpendReporter
	monitor  *completeness.Monitor
	batches  *batchMetrics
	handler  http.Handler
	operator http.Handler
	trusted  httpserver.TrustedProxies
	// alerts is nil if this process cannot read the channels of alerts.
	alerts      *store.AlertStore
	alertSender *notify.Sender
	// origin is the public URL without a path; empty if there is none.
	origin string
}

// New opens the store and builds the handler. The caller must call Close.
func New(ctx context.Context, cfg Config, deps Deps) (*Service, error) {
	if err := deps.validate(); err != nil {
		return nil, err
	}
	public, err := config.ParseOrigin("public-url", cfg.PublicURL)
	if err != nil {
		return nil, fmt.Errorf("dashboard: %w", err)
	}
	edge, err := config.ParseOrigin("edge-url", cfg.EdgeURL)
	if err != nil {
		return nil, fmt.Errorf("dashboard: %w", err)
	}
	proxy, proxyURL, err := cfg.proxy(deps.Proxy)
	if err != nil {
		return nil, fmt.Errorf("dashboard: %w", err)
	}
	trusted, err := httpserver.ParseTrustedProxies(cfg.TrustedProxies)
	if err != nil {
		return nil, fmt.Errorf("dashboard: %w", err)
	}
	signOn, err := cfg.signOn(public, deps.Log)
	if err != nil {
		return nil, fmt.Errorf("dashboard: %w", err)
	}
	storeURL, err := cfg.storeURL()
	if err != nil {
		return nil, fmt.Errorf("dashboard: %w", err)
	}
	known, err := catalog.Load()
	if err != nil {
		return nil, fmt.Errorf("dashboard: %w", err)
	}
	alertSender, err := newAlertSender(cfg)
	if err != nil {
		return nil, fmt.Errorf("dashboard: %w", err)
	}
	ledger, err := store.OpenConfig(ctx, store.Config{URL: storeURL, Replica: cfg.ReplicaPostgres.Reveal(), Timeouts: deps.StoreTimeouts})
	if err != nil {
		return nil, fmt.Errorf("dashboard: %w", err)
	}
	alerts, err := openAlertStore(ctx, cfg, ledger)
	if errors.Is(err, errAlertKey) {
		deps.Log.ErrorContext(ctx, "alerts are off in this dashboard", "error", err)
	} else if err != nil {
		return nil, errors.Join(fmt.Errorf("dashboard: %w", err), ledger.Close())
	}
	spends := ingest.NewSpendReporter(deps.Accounts, ledger, deps.Log)
	pages := web.Deps{
		Accounts: deps.Accounts, Router: deps.Router, Policies: deps.Policies, Catalog: known,
		Ledger: ledger, Evidence: ledger, Rollouts: ledger, Spend: ledger, Feed: ledger, Running: inflight.New(deps.Records, deps.Log), Completeness: ledger, DeadLetters: trackingLedger{ledger, spends}, Storage: ledger,
		Proxy: proxy, ProxyURL: proxyURL, Shares: ledger, Views: ledger, LocalServers: deps.LocalServers,
		Log: deps.Log, PublicURL: public, EdgeURL: edge, BehindTrustedProxy: len(trusted) > 0, Version: deps.Version, Warnings: deps.Warnings,
		Retention: system.Retention{Records: cfg.RetentionDays, Content: cfg.ContentDays}, Timeouts: deps.PageTimeouts,
	}
	monitor := completeness.New(deps.Records, ledger, deps.Log)
	pages.AlertSender, pages.SignOn = alertSender, signOn
	pages.NewAlertSource = func(limited readlimit.Ledger) alert.Source { return newAlertSource(limited, deps, monitor) }
	if alerts != nil {
		pages.Alerts = alerts
	}
	if carrier, ok := deps.Records.(system.Carrier); ok {
		pages.Carrier = carrier
	}
	handler, err := web.New(pages)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("dashboard: %w", err), ledger.Close())
	}
	batches, err := newBatchMetrics(deps.Meter, deps.Histograms)
	if err = errors.Join(err, registerMetrics(deps.Meter, monitor)); err != nil {
		return nil, errors.Join(fmt.Errorf("dashboard: %w", err), ledger.Close())
	}
	return &Service{
		deps: deps, cfg: cfg, store: ledger, spends: spends, monitor: monitor, batches: batches, handler: handler, operator: web.NewOperator(pages), trusted: trusted,
		alerts: alerts, alertSender: alertSender, origin: originOf(public),
	}, nil
}

func originOf(public *url.URL) string {
	if public == nil {
		return ""
	}
	return public.String()
}

// Handler serves /api/v1 and the pages. It works without Run, too.
func (s *Service) Handler() http.Handler { return s.handler }

// Run ingests records, maintains the store, and serves Handler if there is a
// listener. When ctx ends, it finishes open requests and the current batch.
func (s *Service) Run(ctx context.Context) error {
	uses := ingest.NewKeyUseReporter(s.deps.Accounts, s.deps.Log)
	mover := &ingest.Ingest{Source: s.deps.Records, Ledger: trackingLedger{s.store, s.spends}, KeyUses: uses, Signals: signals.NewDetector(), Stored: s.batches.observe, Log: s.deps.Log}
	tasks := []lifecycle.Task{
		{Name: "last uses", Run: uses.Run}, {Name: "spend", Run: s.spends.Run}, {Name: "completeness", Run: s.monitor.Run},
		{Name: "ingest", Run: mover.Run}, {Name: "upkeep", Run: s.newUpkeep().Run},
		{Name: "rollout", Run: s.newRolloutController().Run},
		{Name: "evidence", Run: s.newEvidenceReporter().Run},
	}
	tasks = append(tasks, s.operatorTasks(ctx)...)
	tasks = append(tasks, s.alertTasks()...)
	if s.deps.Listener != nil {
		tasks = append(tasks, lifecycle.Task{Name: "http", Run: s.serve})
	}
	return lifecycle.Run(ctx, tasks...)
}

func (s *Service) newUpkeep() *upkeep.Upkeep {
	return &upkeep.Upkeep{
		Ledger: trackingLedger{s.store, s.spends}, Accounts: s.deps.Accounts, Log: s.deps.Log, Now: time.Now,
		RequestDays: int(s.cfg.RetentionDays), ContentDays: int(s.cfg.ContentDays),
	}
}

func (s *Service) newEvidenceReporter() *ingest.EvidenceReporter {
	return &ingest.EvidenceReporter{To: s.deps.Router, From: s.store, Log: s.deps.Log, Now: time.Now}
}

func (s *Service) serve(ctx context.Context) error {
	return httpserver.Serve(ctx, s.deps.Listener, s.Server())
}

// Server returns the settings of the listener.
func (s *Service) Server() httpserver.Config {
	return httpserver.Config{
		Handler: s.handler, Log: s.deps.Log, DrainLimit: drainTimeout, MaxConns: maxConnections, TrustedProxies: s.trusted,
	}
}

// Ping checks that the store responds. The process is not ready while Ping fails,
// because it can neither show nor store records.
func (s *Service) Ping(ctx context.Context) error { return s.store.Ping(ctx) }

// CheckCompleteness returns an error if a proxy that reported in the last 24 hours
// has missing or lost records, or if the counts are out of date. It does not block.
func (s *Service) CheckCompleteness() error { return s.monitor.Check() }

// Close closes the store. Run must have returned.
func (s *Service) Close() error { return s.store.Close() }

// Package allinone runs keyauth, router, dashboard and proxy in one process. It is
// the easiest way to start, and a complete deployment for one machine.
//
// Run starts the same services as the split deployment, with three differences.
// gRPC runs in memory. By default, all stores are SQLite files in one data
// directory. The spool delivers records to the ledger without Redis. The spool is
// the proxy's queue of records on disk.
//
// Doctor checks whether Run can start. Backup and Restore copy the data directory.
// The signalbox command uses this package.
package allinone

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"strings"

	"google.golang.org/grpc"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/health"
	"github.com/signalbox/signalbox/pkg/httpserver"
	"github.com/signalbox/signalbox/pkg/lifecycle"
	"github.com/signalbox/signalbox/pkg/process"
	"github.com/signalbox/signalbox/pkg/records"
	"github.com/signalbox/signalbox/pkg/rpc"
	"github.com/signalbox/signalbox/pkg/telemetry"
	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
	routerv1 "github.com/signalbox/signalbox/proto/signalbox/router/v1"
	"github.com/signalbox/signalbox/services/allinone/internal/sessionstore"
	"github.com/signalbox/signalbox/services/dashboard"
	"github.com/signalbox/signalbox/services/keyauth"
	"github.com/signalbox/signalbox/services/proxy"
	"github.com/signalbox/signalbox/services/router"
)

// gateway holds the services and resources of a running process. Its parts are
// opened in order and closed in reverse order.
type gateway struct {
	cfg Config
	// out is the operator's terminal, and log is the log stream. One-time secrets are
	// written only to out, because logs are often stored.
	out, log io.Writer
	listener net.Listener
	// adminListener is nil if no admin address is configured.
	adminListener net.Listener

	telemetry *telemetry.Telemetry
	ready     *health.Readiness
	keyauth   *keyauth.Service
	router    *router.Service
	dashboard *dashboard.Service
	proxy     *proxy.Service
	accounts  keyauthv1.AccountServiceClient
	// toProxy connects the dashboard to the proxy, for requests of the playground.
	toProxy *rpc.Memory
	// forwarded is nil unless registration is open.
	forwarded *forwardedWatch
	closers   []func() error
}

// Run runs the gateway until ctx ends. It returns nil after a clean shutdown. It
// prints the greeting to out. The greeting can contain secrets that are shown only
// once. Log lines are written to log.
func Run(ctx context.Context, cfg Config, environ []string, out, log io.Writer) error {
	p := &gateway{cfg: cfg, out: out, log: log, ready: health.New()}
	if err := p.open(ctx, environ); err != nil {
		return errors.Join(err, p.close())
	}
	err := lifecycle.Run(ctx,
		lifecycle.Task{Name: "admin", Run: p.serveAdmin},
		lifecycle.Task{Name: "keyauth", Run: p.keyauth.Run},
		lifecycle.Task{Name: "router", Run: p.router.Run},
		lifecycle.Task{Name: "dashboard", Run: p.dashboard.Run},
		lifecycle.Task{Name: "proxy", Run: p.proxy.Run},
		lifecycle.Task{Name: "playground", Run: p.servePlayground},
		lifecycle.Task{Name: "edge", Run: p.serveEdge},
	)
	return errors.Join(err, p.close())
}

// startupStep is one part of opening the gateway. Doctor prints its name.
type startupStep struct {
	name string
	run  func(ctx context.Context) error
}

func (p *gateway) startupSteps(environ []string) []startupStep {
	return []startupStep{
		{"data directory " + p.cfg.Data, p.lockDataDir},
		{strings.TrimSpace("addresses " + p.cfg.Process.Listen + " " + p.cfg.Process.Admin), p.openListeners},
		{"telemetry", p.openTelemetry},
		{"stores, policy and spool", func(ctx context.Context) error { return p.openServices(ctx, environ) }},
	}
}

func (p *gateway) open(ctx context.Context, environ []string) error {
	for _, s := range p.startupSteps(environ) {
		if err := s.run(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (p *gateway) openListeners(ctx context.Context) (err error) {
	if p.listener, err = process.Listen(ctx, p.cfg.Process.Listen); err != nil {
		return err
	}
	p.closers = append(p.closers, closeQuietly(p.listener))
	if p.adminListener, err = process.Listen(ctx, p.cfg.Process.Admin); err != nil {
		return err
	}
	if p.adminListener != nil {
		p.closers = append(p.closers, closeQuietly(p.adminListener))
	}
	return p.writeAddressFile()
}

// closeQuietly returns a function that closes lis and ignores the error. After a
// successful start, the server has already closed the listener.
func closeQuietly(lis net.Listener) func() error {
	return func() error {
		_ = lis.Close()
		return nil
	}
}

func (p *gateway) openTelemetry(ctx context.Context) (err error) {
	if p.telemetry, err = telemetry.New(ctx, p.cfg.Process.Telemetry, p.log); err != nil {
		return err
	}
	p.closers = append(p.closers, func() error {
		process.FlushTelemetry(ctx, p.telemetry)
		return nil
	})
	return p.telemetry.MeasureReadiness(p.ready)
}

func (p *gateway) openServices(ctx context.Context, environ []string) error {
	log := p.telemetry.Log
	keys, routes := rpc.NewMemory(), rpc.NewMemory()
	var err error
	p.keyauth, err = keyauth.New(ctx, p.cfg.Keyauth, keyauth.Deps{Listener: keys.Listener(), Log: log, Tracer: p.telemetry.Tracer, Histograms: p.telemetry.Histograms})
	if err != nil {
		return err
	}
	p.closers = append(p.closers, p.keyauth.Close)
	p.router, err = router.New(ctx, p.cfg.Router, router.Deps{Listener: routes.Listener(), Log: log, Tracer: p.telemetry.Tracer, Histograms: p.telemetry.Histograms, Environ: environ})
	if err != nil {
		return err
	}
	p.closers = append(p.closers, p.router.Close)
	p.ready.AddOptional("policy_current", p.router.CheckPolicyCurrent)
	if p.cfg.Router.Policy != "" {
		p.ready.AddFact("policy_file", p.router.PolicyFileStatus)
	}
	keyConn, err := p.dialInMemory(keys)
	if err != nil {
		return err
	}
	routeConn, err := p.dialInMemory(routes)
	if err != nil {
		return err
	}
	p.accounts = keyauthv1.NewAccountServiceClient(keyConn)
	carrier := records.NewMemory()
	p.toProxy = rpc.NewMemory()
	known, err := catalog.Load()
	if err != nil {
		return err
	}
	p.forwarded = newForwardedWatch(&p.cfg, log)
	p.dashboard, err = dashboard.New(ctx, p.cfg.Dashboard, dashboard.Deps{
		Accounts: p.accounts, Router: routerv1.NewRouterServiceClient(routeConn), Policies: routerv1.NewPolicyServiceClient(routeConn),
		Records: carrier, Log: log, Meter: p.telemetry.Meter, Histograms: p.telemetry.Histograms,
		LocalServers: func(ctx context.Context) []dashboard.LocalServer {
			return findLocalServers(ctx, known.Providers(), localServerTimeout)
		},
		Proxy: &http.Transport{DialContext: p.toProxy.DialContext, DisableCompression: true}, Version: p.cfg.Process.Telemetry.Version, Warnings: p.forwarded.warnings,
	})
	if err != nil {
		return err
	}
	p.closers = append(p.closers, p.dashboard.Close)
	p.ready.AddOptional("completeness", p.dashboard.CheckCompleteness)
	sessions, err := sessionstore.Open(ctx, p.cfg.Data)
	if err != nil {
		return err
	}
	p.closers = append(p.closers, sessions.Close)
	p.proxy, err = proxy.New(p.cfg.Proxy, proxy.Deps{
		Router: routerv1.NewRouterServiceClient(routeConn), Keys: keyauthv1.NewKeyAuthServiceClient(keyConn),
		Records: carrier, SessionFile: sessions, LookupEnv: os.LookupEnv, Version: p.cfg.Process.Telemetry.Version, Health: p.ready, Log: log,
		Meter: p.telemetry.Meter, Histograms: p.telemetry.Histograms, Tracer: p.telemetry.Tracer, Sampler: p.telemetry.Sampler,
	})
	if err != nil {
		return err
	}
	p.closers = append(p.closers, p.proxy.Close)
	return nil
}

func (p *gateway) dialInMemory(m *rpc.Memory) (*grpc.ClientConn, error) {
	conn, err := m.Dial(rpc.ClientConfig{Tracer: p.telemetry.Tracer})
	if err != nil {
		return nil, err
	}
	p.closers = append(p.closers, conn.Close)
	return conn, nil
}

func (p *gateway) close() error {
	var errs []error
	for i := len(p.closers) - 1; i >= 0; i-- {
		errs = append(errs, p.closers[i]())
	}
	return errors.Join(errs...)
}

func (p *gateway) serveAdmin(ctx context.Context) error {
	return telemetry.ServeAdmin(ctx, p.adminListener, telemetry.NewAdminHandler(p.ready, p.telemetry.MetricsHandler()))
}

// servePlayground serves the dashboard's connections to the proxy.
func (p *gateway) servePlayground(ctx context.Context) error {
	return httpserver.Serve(ctx, p.toProxy.Listener(), p.proxy.Server())
}

// serveEdge serves the public address. It is the last task, so it stops first. The
// other services keep running until the last request has finished.
func (p *gateway) serveEdge(ctx context.Context) error {
	if err := p.greet(ctx); err != nil {
		if ctx.Err() != nil {
			return nil
		}
		return err
	}
	server := p.proxy.Server()
	server.Handler = frontHandler{proxy: p.proxy.Handler(), dashboard: p.dashboard.Handler(), loopbackOnly: p.cfg.isLoopbackOnly(), forwarded: p.forwarded}
	return httpserver.Serve(ctx, p.listener, server)
}

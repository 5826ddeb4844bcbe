// Package allinone runs keyauth, router, dashboard and proxy in one process,
// for a first look and for a single node: the same services as in the split
// shape, with gRPC in memory, SQLite in one directory, and records handed
// straight from the spool to the ledger. No service knows that it runs here.
package allinone

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"strings"

	"google.golang.org/grpc"

	"github.com/signalbox/signalbox/pkg/health"
	"github.com/signalbox/signalbox/pkg/httpserver"
	"github.com/signalbox/signalbox/pkg/lifecycle"
	"github.com/signalbox/signalbox/pkg/process"
	"github.com/signalbox/signalbox/pkg/records"
	"github.com/signalbox/signalbox/pkg/rpc"
	"github.com/signalbox/signalbox/pkg/telemetry"
	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
	routerv1 "github.com/signalbox/signalbox/proto/signalbox/router/v1"
	"github.com/signalbox/signalbox/services/dashboard"
	"github.com/signalbox/signalbox/services/keyauth"
	"github.com/signalbox/signalbox/services/proxy"
	"github.com/signalbox/signalbox/services/router"
)

// whole is everything that runs, in the order in which it was opened.
type whole struct {
	cfg Config
	// out is for a person who starts it, log for whoever keeps logs: what is
	// shown once must not be kept.
	out, log io.Writer
	listener net.Listener
	// adminListener is nil when there is no admin page.
	adminListener net.Listener

	telemetry *telemetry.Telemetry
	ready     *health.Readiness
	keyauth   *keyauth.Service
	router    *router.Service
	dashboard *dashboard.Service
	proxy     *proxy.Service
	accounts  keyauthv1.AccountServiceClient
	closers   []func() error
}

// Run runs the process until ctx ends, writing to out what a person should
// see, secrets that are shown once among it, and to log what happens. It
// returns nil after a clean stop.
func Run(ctx context.Context, cfg Config, environ []string, out, log io.Writer) error {
	p := &whole{cfg: cfg, out: out, log: log, ready: health.New()}
	if err := p.open(ctx, environ); err != nil {
		return errors.Join(err, p.close())
	}
	err := lifecycle.Run(ctx,
		lifecycle.Task{Name: "admin", Run: p.admin},
		lifecycle.Task{Name: "keyauth", Run: p.keyauth.Run},
		lifecycle.Task{Name: "router", Run: p.router.Run},
		lifecycle.Task{Name: "dashboard", Run: p.dashboard.Run},
		lifecycle.Task{Name: "proxy", Run: p.proxy.Run},
		lifecycle.Task{Name: "edge", Run: p.edge},
	)
	return errors.Join(err, p.close())
}

// step is a part of opening, by a name that a person understands.
type step struct {
	name string
	run  func(ctx context.Context) error
}

func (p *whole) steps(environ []string) []step {
	return []step{
		{"data directory " + p.cfg.Data, p.claimData},
		{strings.TrimSpace("addresses " + p.cfg.Process.Listen + " " + p.cfg.Process.Admin), p.listen},
		{"telemetry", p.openTelemetry},
		{"stores, policy and spool", func(ctx context.Context) error { return p.openServices(ctx, environ) }},
	}
}

func (p *whole) open(ctx context.Context, environ []string) error {
	for _, s := range p.steps(environ) {
		if err := s.run(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (p *whole) listen(ctx context.Context) (err error) {
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
	return p.tellAddress()
}

// closeQuietly is for a listener that its server has closed already, unless
// the start failed.
func closeQuietly(lis net.Listener) func() error {
	return func() error {
		_ = lis.Close()
		return nil
	}
}

func (p *whole) openTelemetry(ctx context.Context) (err error) {
	if p.telemetry, err = telemetry.New(ctx, p.cfg.Process.Telemetry, p.log); err != nil {
		return err
	}
	p.closers = append(p.closers, func() error {
		process.Flush(ctx, p.telemetry)
		return nil
	})
	return nil
}

func (p *whole) openServices(ctx context.Context, environ []string) error {
	log := p.telemetry.Log
	keys, routes := rpc.NewMemory(), rpc.NewMemory()
	var err error
	p.keyauth, err = keyauth.New(ctx, p.cfg.Keyauth, keyauth.Deps{Listener: keys.Listener(), Log: log, Tracer: p.telemetry.Tracer})
	if err != nil {
		return err
	}
	p.closers = append(p.closers, p.keyauth.Close)
	p.router, err = router.New(ctx, p.cfg.Router, router.Deps{Listener: routes.Listener(), Log: log, Tracer: p.telemetry.Tracer, Environ: environ})
	if err != nil {
		return err
	}
	p.closers = append(p.closers, p.router.Close)
	p.ready.Want("policy_current", p.router.Fresh)
	if p.cfg.Router.Policy != "" {
		p.ready.Show("policy_file", p.router.File)
	}
	keyConn, err := p.dial(keys)
	if err != nil {
		return err
	}
	routeConn, err := p.dial(routes)
	if err != nil {
		return err
	}
	p.accounts = keyauthv1.NewAccountServiceClient(keyConn)
	carrier := records.NewMemory()
	p.dashboard, err = dashboard.New(ctx, p.cfg.Dashboard, dashboard.Deps{
		Accounts: p.accounts, Router: routerv1.NewRouterServiceClient(routeConn), Policies: routerv1.NewPolicyServiceClient(routeConn),
		Records: carrier, Log: log, Meter: p.telemetry.Meter,
		Version: p.cfg.Process.Telemetry.Version,
	})
	if err != nil {
		return err
	}
	p.closers = append(p.closers, p.dashboard.Close)
	p.ready.Want("completeness", p.dashboard.Complete)
	p.proxy, err = proxy.New(p.cfg.Proxy, proxy.Deps{
		Router: routerv1.NewRouterServiceClient(routeConn), Keys: keyauthv1.NewKeyAuthServiceClient(keyConn),
		Records: carrier, LookupEnv: os.LookupEnv, Version: p.cfg.Process.Telemetry.Version, Health: p.ready, Log: log, Meter: p.telemetry.Meter,
	})
	if err != nil {
		return err
	}
	p.closers = append(p.closers, p.proxy.Close)
	return nil
}

func (p *whole) dial(m *rpc.Memory) (*grpc.ClientConn, error) {
	conn, err := m.Dial(rpc.ClientConfig{Tracer: p.telemetry.Tracer})
	if err != nil {
		return nil, err
	}
	p.closers = append(p.closers, conn.Close)
	return conn, nil
}

// close closes what was opened, last first.
func (p *whole) close() error {
	var errs []error
	for i := len(p.closers) - 1; i >= 0; i-- {
		errs = append(errs, p.closers[i]())
	}
	return errors.Join(errs...)
}

func (p *whole) admin(ctx context.Context) error {
	return telemetry.ServeAdmin(ctx, p.adminListener, telemetry.Admin(p.ready, p.telemetry.MetricsHandler()))
}

// edge serves the one address. It comes last, so that it stops first and
// everything behind it outlives the last request.
func (p *whole) edge(ctx context.Context) error {
	if err := p.greet(ctx); err != nil {
		if ctx.Err() != nil {
			return nil
		}
		return err
	}
	server := p.proxy.Server()
	server.Handler = front{edge: p.proxy.Handler(), dashboard: p.dashboard.Handler(), private: p.cfg.private()}
	return httpserver.Serve(ctx, p.listener, server)
}

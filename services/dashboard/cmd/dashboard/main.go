// Command dashboard runs the service that keeps the ledger and shows it in a
// process of its own.
package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"github.com/signalbox/signalbox/pkg/certs"
	"github.com/signalbox/signalbox/pkg/process"
	"github.com/signalbox/signalbox/pkg/records"
	"github.com/signalbox/signalbox/pkg/rpc"
	"github.com/signalbox/signalbox/pkg/sqldb"
	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
	routerv1 "github.com/signalbox/signalbox/proto/signalbox/router/v1"
	"github.com/signalbox/signalbox/services/dashboard"
)

// version is set by the build.
var version = "dev"

func main() {
	os.Exit(process.Main("dashboard", func(ctx context.Context) error {
		cfg, err := dashboard.LoadConfig(os.Args[1:], os.Environ())
		if err != nil {
			return err
		}
		cfg.Process.Telemetry.Version, cfg.Process.Telemetry.Getenv = version, os.Getenv
		return process.Run(ctx, cfg.Process.Config, func(ctx context.Context, e process.Env) error { return serve(ctx, cfg, e) })
	}))
}

func serve(ctx context.Context, cfg dashboard.Config, e process.Env) (err error) {
	identity, err := cfg.Process.Peers.Identity(e.Ready, certs.Dashboard, cfg.Process.Keyauth, cfg.Process.Router)
	if err != nil {
		return err
	}
	source, err := records.NewRedisSource(cfg.Process.Redis.Reveal(), records.RedisSourceConfig{Consumer: consumer(cfg.Data), Log: e.Telemetry.Log})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, source.Close()) }()
	keyauth, err := rpc.Dial(cfg.Process.Keyauth, rpc.ClientConfig{Tracer: e.Telemetry.Tracer, Identity: identity, Peer: certs.Keyauth})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, keyauth.Close()) }()
	router, err := rpc.Dial(cfg.Process.Router, rpc.ClientConfig{Tracer: e.Telemetry.Tracer, Identity: identity, Peer: certs.Router})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, router.Close()) }()
	deps := dashboard.Deps{
		Accounts: keyauthv1.NewAccountServiceClient(keyauth), Router: routerv1.NewRouterServiceClient(router),
		Policies: routerv1.NewPolicyServiceClient(router), Records: source, Listener: e.Listener, Log: e.Telemetry.Log, Meter: e.Telemetry.Meter, Version: version,
	}
	var svc *dashboard.Service
	err = process.Persist(ctx, e.Telemetry.Log, sqldb.ErrUnreachable, func() (err error) {
		svc, err = dashboard.New(ctx, cfg, deps)
		return err
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, svc.Close()) }()
	e.Probes.Need("store", svc.Ping)
	// Without these some of the pages work, and a balancer that turned every
	// dashboard away would help nobody.
	e.Probes.Want("keyauth", func(ctx context.Context) error { return rpc.Check(ctx, keyauth) })
	e.Probes.Want("router", func(ctx context.Context) error { return rpc.Check(ctx, router) })
	e.Probes.Want("redis", source.Check)
	e.Ready.Want("completeness", svc.Complete)
	e.Announce(ctx)
	return e.Run(ctx, svc.Run)
}

// consumer tells this process from others that read the same records, and is
// the same again after a restart.
func consumer(data string) string {
	host, _ := os.Hostname()
	dir, _ := filepath.Abs(data)
	return host + ":" + dir
}
